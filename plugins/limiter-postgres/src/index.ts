/**
 * Rate limits in PostgreSQL, for several servers together.
 *
 * @module
 */
import { definePlugin, services } from '@patchbay/core/plugin';
import { createPostgresRateLimiter } from './postgres-rate-limiter.ts';

export default definePlugin({
  name: '@patchbay/limiter-postgres',
  kind: 'rateLimiter',
  version: 1,
  config: {
    properties: {
      url: {
        type: 'string',
        pattern: '^postgres(ql)?://',
        $comment: 'must be a postgres or postgresql URL',
        writeOnly: true,
        description: 'Such as `postgresql://user:password@host:5432/database`; `?sslmode=verify-full` for TLS.',
      },
      poolSize: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        default: 4,
        description: 'Maximum number of connections per server.',
      },
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
        default: 75,
        description: 'Timeout of a call in milliseconds. The server waits 80 at most.',
      },
    },
    required: ['url'],
  },
  deps: { logger: services.logger },
  create: ({ config, deps }) => createPostgresRateLimiter({ ...config, logger: deps.logger }),
});
