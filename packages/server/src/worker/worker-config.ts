import type { ConfigOf, ConfigSchema } from '@patchbay/core/plugin';

/** The section `worker` of a config file: what `patchbay worker` goes by. */
export const workerConfigSchema = {
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
      description: 'Address for /healthz and /readyz. The default is reachable from this machine only.',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 4811,
      description: '0 takes any free port: for several workers on one machine.',
    },
    drainTimeoutMs: {
      type: 'integer',
      reload: true,
      minimum: 0,
      default: 30_000,
      description: 'Milliseconds that what is under way gets when the worker stops.',
    },
  },
} as const satisfies ConfigSchema;

/** The section with defaults filled in. */
export type WorkerConfig = ConfigOf<typeof workerConfigSchema>;
