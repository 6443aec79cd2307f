import { definePlugin } from '@patchbay/core/plugin';
import { providerName } from '@patchbay/core/provider';
import { createDemoProvider } from './demo-provider.ts';

/** An offline provider that copies, counts, ranks and labels, and never pretends to be a model. */
export default definePlugin({
  name: '@patchbay/provider-demo',
  kind: 'provider',
  version: 1,
  config: {
    properties: {
      delayMs: {
        type: 'integer',
        minimum: 0,
        default: 0,
        description: 'Milliseconds before each word of a streamed completion.',
      },
    },
  },
  create({ config, mount }) {
    return createDemoProvider({ name: providerName(mount), delayMs: config.delayMs });
  },
});
