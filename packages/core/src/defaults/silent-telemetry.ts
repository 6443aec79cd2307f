import { definePlugin } from '../contracts/define-plugin.ts';

/** Measures nothing. */
export const silentTelemetry = definePlugin({
  name: '@patchbay/core/silent-telemetry',
  kind: 'telemetry',
  version: 1,
  config: { properties: {} },
  create: () => ({
    span: async (_name, _attributes, work) => await work({ set() {} }),
    count() {},
    record() {},
  }),
});
