import { executorConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { worksHere } from './fixtures/works-here.ts';
import plugin from './index.ts';
import { jailLevels } from './run/jail.ts';

const combinations = [
  ...jailLevels.map((jail) => ({ isolation: 'fresh', jail }) as const),
  { isolation: 'cold', jail: 'none' } as const,
];

for (const { isolation, jail } of combinations) {
  const works = await worksHere(jail);
  describe.runIf(works)(`isolation: ${isolation}, jail: ${jail}${works ? '' : ' (does not work here)'}`, () => {
    executorConformance(
      { describe, it },
      {
        async create() {
          const options = { ...executorOptions, isolation, jail, spares: 3, queueTimeoutMs: 20_000, maxConcurrent: 6 };
          const executor = new DenoExecutor(options, silent);
          await executor.start(AbortSignal.timeout(10_000));
          return {
            executor,
            dispose: () => executor.stop(),
            spareProcessIds: () => executor.spareProcessIds,
          };
        },
        capabilities: plugin.definition.capabilities ?? [],
      },
    );
  });
}
