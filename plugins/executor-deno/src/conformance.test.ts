import { executorConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './index.ts';

executorConformance(
  { describe, it },
  {
    async create() {
      const executor = plugin.definition.create({
        config: { memoryMb: 128, queueTimeoutMs: 20_000, typeCheck: 'error', maxConcurrent: 6 },
        deps: {},
        logger: { debug() {}, info() {}, warn() {}, error() {} },
        mount: 'executor',
        directory: '.',
      });
      await executor.start?.(AbortSignal.timeout(10_000));
      return { executor, dispose: async () => await executor.stop?.() };
    },
    capabilities: plugin.definition.capabilities ?? [],
  },
);
