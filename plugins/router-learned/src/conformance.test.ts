import { routerConformance, testContext } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './index.ts';

routerConformance(
  { describe, it },
  {
    capabilities: plugin.definition.capabilities ?? [],
    create: () => {
      const config = { weights: {}, targetMs: 4_000, trialShare: 0.3, challengerShare: 0.05 };
      const { logger } = testContext();
      return plugin.definition.create({ config, deps: {}, logger, mount: 'router', directory: '.' });
    },
  },
);
