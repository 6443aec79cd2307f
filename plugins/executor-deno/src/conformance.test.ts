import { executorConformance } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { workingJails } from './fixtures/working-jails.ts';
import plugin from './index.ts';
import { jailLevels } from './launch/jail.ts';

const isFull = process.env['PATCHBAY_TEST_SIZE'] === 'full';

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
const sharingOf = { reuse: isFull ? (['logs'] as const) : [], cold: ['concurrency'] as const, fresh: [] };

for (const { isolation, jail } of combinations) {
  const works = working.has(jail);
  const everything = isolation !== 'reuse' && ((isolation === 'fresh' && jail === best) || isFull);
  // Between no jail and the best one.
  if (!isFull && jail !== best && jail !== 'none') continue;
  const start = async (): Promise<DenoExecutor> => {
    // Code that is refused for its endless types takes all that it may.
    const saving = isFull ? {} : { saveCpuMs: 1000 };
    const running = { spares: 2, queueTimeoutMs: 60_000, maxConcurrent: 6 };
    const options = { ...executorOptions, ...saving, ...running, isolation, jail };
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
