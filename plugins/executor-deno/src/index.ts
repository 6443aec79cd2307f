import { definePlugin } from '@patchbay/core/plugin';
import { configSchema } from './config.ts';
import { DenoExecutor } from './deno-executor.ts';

/** Runs functions in Deno, each execution in its own process. */
export default definePlugin({
  name: '@patchbay/executor-deno',
  kind: 'executor',
  version: 1,
  capabilities: ['isolation', 'process-isolation', 'typescript', 'host-calls', 'programs', 'generators'],
  config: configSchema,
  create({ config, directory, logger }) {
    return new DenoExecutor({ ...config, directory }, logger);
  },
});
