import { definePlugin } from '@patchbay/core/plugin';

/** A provider whose start never comes to an end. */
export default definePlugin({
  name: 'provider-hanging',
  kind: 'provider',
  version: 1,
  config: { properties: {} },
  create: () => ({
    start: () => new Promise(() => {}),
    models: async () => [],
    async chat() {
      throw new Error('it has never started');
    },
  }),
});
