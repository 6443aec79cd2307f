import { describe, it } from 'node:test';
import { executorConformance, testContext } from '@patchbay/testing';
import plugin from './index.ts';

executorConformance(
  { describe, it },
  {
    capabilities: plugin.definition.capabilities ?? [],
    // Add the others as you build them: forms, data, logs, throws, endings. Code that is not trusted needs all of them.
    topics: ['cancelling', 'concurrency', 'lifecycle'],
    async create() {
      const { logger } = testContext();
      const config = { heapMegabytes: 128 };
      const executor = plugin.definition.create({ config, deps: {}, logger, mount: 'executor', directory: '.' });
      return { executor, dispose: async () => executor.stop?.() };
    },
  },
);
