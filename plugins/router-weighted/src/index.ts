import { definePlugin } from '@patchbay/core/plugin';
import { utilityOptionSchemas } from './utility-option-schemas.ts';
import { createWeightedRouter } from './weighted-router.ts';

export { type EqualPlaces, equalDeployments, type Scored } from './equal-deployments.ts';
export { type OwnEstimate, taskFactor } from './estimate.ts';
export { type Expectations, expectationsOf, rank, type UtilityOptions } from './rank.ts';
export { figuresOf } from './reason.ts';
export { withChanges } from './utility.ts';
export { createWeightedRouter, utilityOptionSchemas };

/** Chooses models by quality, cost, speed and failures. */
export default definePlugin({
  name: '@patchbay/router-weighted',
  kind: 'router',
  version: 1,
  capabilities: ['monotone'],
  config: {
    properties: {
      ...utilityOptionSchemas,
    },
  },
  create({ config }) {
    return createWeightedRouter(config);
  },
});
