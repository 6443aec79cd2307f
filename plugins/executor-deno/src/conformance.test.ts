import { executorConformance } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { workingJails } from './fixtures/working-jails.ts';
import plugin from './index.ts';
import { jailLevels } from './launch/jail.ts';

// All of the suite in the best jail that works here, which is the default. In the others, what a jail or a way of
// starting could change; at full size (`npm run test:full`) all of it in each.
const working = await workingJails();
const best = jailLevels.findLast((jail) => working.has(jail)) ?? 'none';
const combinations = [
  ...jailLevels.toReversed().map((jail) => ({ isolation: 'fresh', jail }) as const),
  { isolation: 'reuse', jail: best } as const,
  { isolation: 'cold', jail: best } as const,
];

// These leave nothing behind that another test could find, and need no separate executor.
const sharing = [
  'forms',
  'typescript',
  'data',
  'logs',
  'throws',
  'endings',
  'calls',
  'programs',
  'generators',
  'tampering',
  'concurrency',
  'cancelling',
  'isolation',
] as const;
const alone = ['lifecycle'] as const;
// A module that several executions share counts on, where the suite expects it to start from the beginning.
const sharingOf = { reuse: ['logs'], cold: ['concurrency'], fresh: [] } as const;

for (const { isolation, jail } of combinations) {
  const works = working.has(jail);
  const everything =
    isolation !== 'reuse' && ((isolation === 'fresh' && jail === best) || process.env['PATCHBAY_TEST_SIZE'] === 'full');
  const start = async (): Promise<DenoExecutor> => {
    const options = { ...executorOptions, isolation, jail, spares: 2, queueTimeoutMs: 60_000, maxConcurrent: 6 };
    const executor = new DenoExecutor(options, silent);
    await executor.start(AbortSignal.timeout(60_000));
    return executor;
  };
  const capabilities = plugin.definition.capabilities ?? [];
  describe.runIf(works)(`isolation: ${isolation}, jail: ${jail}${works ? '' : ' (does not work here)'}`, () => {
    executorConformance(
      { describe, it },
      {
        async create() {
          const executor = await start();
          return { executor, dispose: () => executor.stop(), spareProcessIds: () => executor.waitingProcesses.all };
        },
        capabilities,
        topics: alone,
      },
    );
    const topics = everything ? sharing : sharingOf[isolation];
    if (topics.length === 0) return;
    describe('with one executor for all tests', () => {
      let shared: Promise<DenoExecutor> | undefined;
      afterAll(async () => await (await shared)?.stop());
      executorConformance(
        { describe, it },
        {
          async create() {
            shared ??= start();
            const executor = await shared;
            return { executor, dispose: async () => {}, spareProcessIds: () => executor.waitingProcesses.all };
          },
          capabilities,
          topics,
        },
      );
    });
  });
}
