import { routerConformance, testContext } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './index.ts';

routerConformance(
  { describe, it },
  {
    capabilities: plugin.definition.capabilities ?? [],
    create: () => {
      const config = { weights: {}, targetMs: 4_000 };
      const { logger } = testContext();
      return plugin.definition.create({ config, deps: {}, logger, mount: 'router', directory: '.' });
    },
  },
);
