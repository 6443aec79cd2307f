import { executorConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import plugin from './index.ts';

for (const isolation of ['fresh', 'cold'] as const) {
  describe(`isolation: ${isolation}`, () => {
    executorConformance(
      { describe, it },
      {
        async create() {
          const options = { ...executorOptions, isolation, spares: 3, queueTimeoutMs: 20_000, maxConcurrent: 6 };
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
