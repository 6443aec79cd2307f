import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage } from '@patchbay/contracts/storage';
import { describe, expect, it, vi } from 'vitest';
import { contextOf, createParts } from '../fixtures/function-parts.ts';
import { newExecution } from './admission.ts';
import { ExecutionEngine, RunningExecutions } from './execution-engine.ts';

it('the running executions write everything they have kept, even if one of the writes fails', async () => {
  const running = new RunningExecutions();
  const asked: string[] = [];
  for (const id of ['one', 'two', 'three']) {
    running.keep(id, async () => {
      asked.push(id);
      if (id === 'one') throw new Error('the storage does not take this');
    });
  }
  await expect(running.writeKept()).rejects.toThrow('does not take this');
  await expect(running.writeKept()).rejects.toThrow('does not take this');
  expect(asked).toEqual(['one', 'two', 'three', 'one']);
});

it('the running executions try a storage that is down only once', async () => {
  const running = new RunningExecutions();
  const write = vi.fn<() => Promise<never>>(() =>
    Promise.reject(new PatchbayError('storage_unavailable', 'it is away')),
  );
  for (const id of ['one', 'two']) running.keep(id, write);
  await expect(running.writeKept()).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(write).toHaveBeenCalledTimes(1);
});

describe('a start that could not be written', () => {
  const context = contextOf('a');
  const { tenant } = context.caller;
  const away = new PatchbayError('storage_unavailable', 'it is away');

  /** An execution whose first start fails. @param isWritten Whether the storage has it nevertheless. */
  async function failToStart(isWritten: boolean) {
    const { engineParts, clock } = createParts();
    let isAway = true;
    const commit: Storage['commit'] = async (...given) => {
      if (!isAway) return await engineParts.storage.commit(...given);
      isAway = false;
      if (isWritten) await engineParts.storage.commit(...given);
      throw away;
    };
    const engine = new ExecutionEngine({ ...engineParts, storage: { ...engineParts.storage, commit } });
    const row = newExecution('execution_1', { id: 'function_1', revision: 1 }, context, clock);
    await engineParts.storage.commit(tenant, [{ insert: 'executions', row }]);
    await expect(engine.start(tenant, row)).rejects.toBe(away);
    const read = async () => await engineParts.storage.get(tenant, 'executions', row.id);
    return { engine, row, read };
  }

  it('is undone if it was written nevertheless', async () => {
    const { engine, read } = await failToStart(true);
    await engine.writeKept();
    expect(await read()).toMatchObject({ status: 'queued', owner: null, attempt: 0, revision: 3 });
  });

  it('does not undo the end of the execution, which has the same revision', async () => {
    const { engine, row, read } = await failToStart(false);
    await engine.close(tenant, row, { status: 'failed', error: { code: 'function_not_found', message: 'gone' } });
    await engine.writeKept();
    expect(await read()).toMatchObject({ status: 'failed', revision: 2 });
  });

  it('does not undo another start by the same process', async () => {
    const { engine, row, read } = await failToStart(false);
    await engine.start(tenant, row);
    await engine.writeKept();
    expect(await read()).toMatchObject({ status: 'running', revision: 2, attempt: 1 });
  });

  it('is undone before another start by the same process', async () => {
    const { engine, row, read } = await failToStart(true);
    expect(await engine.start(tenant, row)).toBe('refused');
    expect(await read()).toMatchObject({ status: 'queued', revision: 3 });
  });
});
