import { definePlugin } from '@patchbay/core/plugin';
import { createWeightedRouter } from './weighted-router.ts';

const weight = (description: string) => ({ type: 'number', minimum: 0, description }) as const;

const weights = {
  type: 'object',
  properties: {
    quality: weight('What quality counts, before failures are taken off.'),
    cost: weight('What the price of the dearest model that can serve the request counts.'),
    latency: weight('What `targetMs` of waiting count.'),
    failures: weight('What failing every time counts.'),
  },
} as const;

/** Chooses models by quality, cost, speed and failures. */
export default definePlugin({
  name: '@patchbay/router-weighted',
  kind: 'router',
  version: 1,
  capabilities: ['monotone'],
  config: {
    properties: {
      weights: {
        type: 'object',
        default: {},
        description: 'Changes to the weights of the presets. What is left out stays as it is.',
        properties: { quality: weights, cost: weights, performance: weights, balanced: weights },
      },
      targetMs: {
        type: 'integer',
        minimum: 1,
        default: 4_000,
        description: 'Milliseconds until the last token that count as one unit of latency.',
      },
    },
  },
  create({ config }) {
    return createWeightedRouter(config);
  },
});
