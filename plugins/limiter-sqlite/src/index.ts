/**
 * Rate limits of several server processes on one machine, counted in one SQLite file.
 *
 * @module
 */
import { resolve } from 'node:path';
import { definePlugin, services } from '@patchbay/core/plugin';
import { createSqliteRateLimiter } from './sqlite-rate-limiter.ts';

/**
 * Counts in one file for all processes that name it.
 *
 * @example
 * ```yaml
 * patchbay: 1
 * rateLimiter:
 *   use: "@patchbay/limiter-sqlite"
 *   with:
 *     file: ./data/limits.db
 * ```
 */
export default definePlugin({
  name: '@patchbay/limiter-sqlite',
  kind: 'rateLimiter',
  version: 1,
  config: {
    properties: {
      file: {
        type: 'string',
        minLength: 1,
        default: './data/limits.db',
        description: 'Database file of the limits. Relative to the folder of the config file. Keep it on a local disk.',
      },
      busyTimeoutMs: {
        type: 'integer',
        minimum: 0,
        maximum: 10_000,
        default: 50,
        description: 'Milliseconds a call may wait for the lock of another process. The server waits 80 at most.',
      },
    },
  },
  deps: { clock: services.clock },
  create: ({ config, deps, directory }) =>
    createSqliteRateLimiter({
      file: resolve(directory, config.file),
      busyTimeoutMs: config.busyTimeoutMs,
      clock: deps.clock,
    }),
});
