import { definePlugin } from '@patchbay/core/plugin';
import { utilityOptionSchemas } from '@patchbay/router-weighted';
import { createLearnedRouter } from './learned-router.ts';

const share = (description: string, byDefault: number) =>
  ({ type: 'number', minimum: 0, maximum: 1, default: byDefault, description }) as const;

/** Chooses models as `router-weighted` does, and learns their quality per function from scores. */
export default definePlugin({
  name: '@patchbay/router-learned',
  kind: 'router',
  version: 1,
  capabilities: ['monotone'],
  config: {
    properties: {
      ...utilityOptionSchemas,
      trialShare: share('Share of the requests for models with fewer than 30 scores.', 0.3),
      challengerShare: share('Share of the requests for other models that may be better: at most.', 0.05),
    },
  },
  create({ config }) {
    return createLearnedRouter(config);
  },
});
