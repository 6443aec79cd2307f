import type { Executor } from '@patchbay/core/plugin';
import { executorConformance, failingTests } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import plugin from './index.ts';

const isFull = process.env['PATCHBAY_TEST_SIZE'] === 'full';

type Spoil = (executor: Executor) => Partial<Executor>;

const broken: readonly (readonly [what: string, spoil: Spoil, test: string])[] = [
  [
    'ignores that its caller has left',
    (executor) => ({
      execute: (job, context) => executor.execute(job, { ...context, signal: new AbortController().signal }),
    }),
    'before the start: nothing is started',
  ],
  [
    'loses what a function logs when it fails',
    (executor) => ({
      async execute(job, context) {
        const outcome = await executor.execute(job, context);
        return outcome.status === 'completed' ? outcome : { ...outcome, logs: [] };
      },
    }),
    'logs are kept when a run fails',
  ],
  [
    'omits the thrown error',
    (executor) => ({
      async execute(job, context) {
        const outcome = await executor.execute(job, context);
        return outcome.status === 'failed' ? { ...outcome, error: { ...outcome.error, message: 'failed' } } : outcome;
      },
    }),
    'the error contains the thrown value and its position',
  ],
  [
    'mixes up runs at the same time',
    (executor) => {
      let last: Parameters<Executor['execute']>[0] | undefined;
      return {
        async execute(job, context) {
          last = job;
          await new Promise(setImmediate);
          return await executor.execute(last, context);
        },
      };
    },
    'twenty at once do not mix',
  ],
  [
    'does not count what it runs',
    () => ({ load: () => ({ running: 0, waiting: 0, spare: 0 }) }),
    'the reported load matches running and waiting executions',
  ],
  [
    'serves calls by itself where its host serves none',
    (executor) => ({
      execute: (job, context) =>
        executor.execute({ host: { maxCalls: 10, secrets: {}, call: async () => '{}' }, ...job }, context),
    }),
    'host calls are refused where the host serves none',
  ],
];

describe('the conformance suite of executors', () => {
  let executor: DenoExecutor;
  beforeAll(async () => {
    executor = new DenoExecutor({ ...executorOptions, spares: 1, queueTimeoutMs: 20_000 }, silent);
    await executor.start(AbortSignal.timeout(60_000));
  });
  afterAll(() => executor.stop());

  const failing = (spoil: Spoil, test: string) => {
    const unchanged: Executor = {
      prepare: (...given) => executor.prepare(...given),
      load: () => executor.load(),
      execute: (...given) => executor.execute(...given),
    };
    const create = async () => ({ executor: { ...unchanged, ...spoil(executor) }, dispose: async () => {} });
    const capabilities = plugin.definition.capabilities ?? [];
    return failingTests((runner) => executorConformance(runner, { create, capabilities }), [test]);
  };

  it.each(broken)('catches an executor that %s', async (_, spoil, test) => {
    expect(await failing(spoil, test)).toEqual([test]);
  });

  // At the small size, `conformance.test.ts` alone runs the suite on it.
  it.runIf(isFull).each(broken)(
    'passes the sound executor, in the test of one that %s',
    async (_what, _spoil, test) => {
      expect(await failing(() => ({}), test)).toEqual([]);
    },
  );
});
