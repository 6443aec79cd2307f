import { PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionJob, ExecutionOutcome, Executor } from '@patchbay/contracts/executor';
import type { FunctionSettings } from '@patchbay/contracts/function-settings';
import type { Storage, Write } from '@patchbay/contracts/storage';
import { describe, expect, it } from 'vitest';
import { contextOf, createParts, summarize } from '../fixtures/function-parts.ts';
import { createFunctionService } from '../function-service.ts';
import type { OpenHostCallsFor } from '../host-calls/open-host-calls.ts';
import { createExecutionService } from './create-execution-service.ts';
import { ExecutionEngine } from './execution-engine.ts';
import { createRunExecution } from './run-execution.ts';

const context = contextOf('a');
const input = { text: 'x' };

type Commit = Storage['commit'];

interface Given {
  readonly isSealed?: boolean;
  readonly settings?: FunctionSettings;
  readonly serve?: (name: string) => Promise<string>;
  /** Default: as the storage does. */
  readonly commit?: (writes: readonly Write[], commit: () => ReturnType<Commit>) => ReturnType<Commit>;
}

/** Functions whose code is `run`; commits of executions are recorded in `written`. */
async function setUp(
  run: (job: ExecutionJob) => Promise<unknown>,
  { isSealed = true, settings = {}, serve, commit }: Given = {},
) {
  const executor: Executor = {
    isSealed,
    async execute(job): Promise<ExecutionOutcome> {
      await run(job);
      return { status: 'completed', output: '{"points":[]}', logs: [], logsTruncated: false, durationMs: 1 };
    },
  };
  const parts = createParts(executor);
  const written: string[] = [];
  const storage: Storage = {
    ...parts.storage,
    commit: async (tenant, writes, options) => {
      const carryOut = () => parts.storage.commit(tenant, writes, options);
      const result = await (commit ? commit(writes, carryOut) : carryOut());
      for (const write of writes) {
        if ('row' in write && write.insert === 'executions') written.push(`insert ${write.row.status}`);
        if ('set' in write && write.update === 'executions') written.push(`update ${String(write.set.status)}`);
      }
      return result;
    },
  };
  const openHostCalls: OpenHostCallsFor = () => ({
    host: { maxCalls: 10, secrets: {}, call: serve ?? (async () => '{}') },
    tokens: () => undefined,
    close: async () => {},
  });
  const { clock } = parts;
  const meter = { ready: async () => {}, record: () => {} };
  const runOnce = createRunExecution({ ...parts, clock, meter, stopping: new AbortController().signal, openHostCalls });
  const engine = new ExecutionEngine({ ...parts.engineParts, storage, run: runOnce });
  const { id } = await createFunctionService(parts).create({ ...summarize, settings }, context);
  const executions = createExecutionService({ ...parts, engine });
  const statuses = async () => {
    const found = await parts.storage.scanAllTenants('executions', {}, 10);
    return found.map(({ row }) => row.status);
  };
  return { ...parts, executions, id, written, statuses };
}

describe('the start of a run whose caller waits', () => {
  it('is stored together with its end if it ends at once', async () => {
    const { executions, id, written } = await setUp(async () => {});
    const row = await executions.execute(id, input, context);
    expect(written).toEqual(['insert completed']);
    expect(row).toMatchObject({ status: 'completed', owner: null, revision: 1, attempt: 1 });
    expect(await executions.get(row.id, context)).toEqual(row);
  });

  it('is stored while the run lasts', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { executions, id, written, statuses } = await setUp(() => promise);
    const executing = executions.execute(id, input, context);
    await expect.poll(statuses).toEqual(['running']);
    resolve();
    const row = await executing;
    expect(written).toEqual(['insert running', 'update completed']);
    expect(row).toMatchObject({ status: 'completed', owner: null, revision: 2 });
    expect(await executions.get(row.id, context)).toEqual(row);
  });

  it('is stored before a call of its code is served', async () => {
    const seen: string[] = [];
    const { executions, id, written } = await setUp(
      async ({ host }) => {
        const call = () => host?.call('fetch', '{}', context.signal);
        await Promise.all([call(), call()]);
      },
      {
        serve: async (name) => {
          seen.push(name, ...written);
          return '{}';
        },
      },
    );
    await executions.execute(id, input, context);
    expect(seen).toEqual(['fetch', 'insert running', 'fetch', 'insert running']);
    expect(written).toEqual(['insert running', 'update completed']);
  });

  it('is not stored by a call that comes after the end', async () => {
    let call: (() => Promise<unknown> | undefined) | undefined;
    const { executions, id, written } = await setUp(async ({ host }) => {
      call = () => host?.call('fetch', '{}', context.signal);
    });
    await executions.execute(id, input, context);
    await call?.();
    expect(written).toEqual(['insert completed']);
  });

  it('refuses the calls of its code while it cannot be stored', async () => {
    const refusals: unknown[] = [];
    const { executions, id, written } = await setUp(
      async ({ host }) => {
        for (let time = 0; time < 2; time += 1) {
          await host?.call('fetch', '{}', context.signal).catch((error: unknown) => refusals.push(error));
        }
      },
      {
        commit: async ([write], commit) => {
          if (write && 'row' in write && write.insert === 'executions' && write.row.status === 'running') {
            throw new PatchbayError('storage_unavailable', 'away');
          }
          return await commit();
        },
      },
    );
    expect(await executions.execute(id, input, context)).toMatchObject({ status: 'completed' });
    expect(refusals).toMatchObject([{ code: 'storage_unavailable' }, { code: 'storage_unavailable' }]);
    expect(written).toEqual(['insert completed']);
  });

  it('is retried if the storage was down', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let tries = 0;
    const { executions, id, statuses } = await setUp(() => promise, {
      commit: async (_, commit) => {
        tries += 1;
        if (tries === 1) throw new PatchbayError('storage_unavailable', 'away');
        return await commit();
      },
    });
    const executing = executions.execute(id, input, context);
    await expect.poll(statuses).toEqual(['running']);
    resolve();
    expect(await executing).toMatchObject({ status: 'completed', revision: 2 });
  });

  it('is closed if it was stored although the storage seemed to be down', async () => {
    const { executions, id, statuses } = await setUp(
      async ({ host }) => await host?.call('fetch', '{}', context.signal).catch(() => undefined),
      {
        commit: async ([write], commit) => {
          const result = await commit();
          if (write && 'row' in write && write.insert === 'executions' && write.row.status === 'running') {
            throw new PatchbayError('storage_unavailable', 'away');
          }
          return result;
        },
      },
    );
    expect(await executions.execute(id, input, context)).toMatchObject({ status: 'completed', revision: 2 });
    expect(await statuses()).toEqual(['completed']);
  });

  it('is stored first if the executor does not seal off its code', async () => {
    const { executions, id, written } = await setUp(async () => expect(written).toEqual(['insert running']), {
      isSealed: false,
    });
    await executions.execute(id, input, context);
    expect(written).toEqual(['insert running', 'update completed']);
  });

  it('is stored first if the settings of the function limit its runs', async () => {
    const { executions, id, written } = await setUp(async () => expect(written).toEqual(['insert running']), {
      settings: { concurrency: { limit: 1 } },
    });
    await executions.execute(id, input, context);
    expect(written).toEqual(['insert running', 'update completed']);
  });
});
