import { definePlugin, services } from '@patchbay/core/plugin';
import { createRedisRateLimiter } from './redis-rate-limiter.ts';

/** Rate limits of several servers together, counted in one Redis. */
export default definePlugin({
  name: '@patchbay/limiter-redis',
  kind: 'rateLimiter',
  version: 1,
  config: {
    properties: {
      url: {
        type: 'string',
        minLength: 1,
        default: 'redis://127.0.0.1:6379',
        writeOnly: true,
        description: 'Address of the server, with user and password if required; `rediss:` for TLS.',
      },
      prefix: { type: 'string', default: 'patchbay:limit:', description: 'Prefix of the keys in Redis.' },
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
        default: 75,
        description: 'Timeout of a call in milliseconds. The server waits 80 at most.',
      },
    },
  },
  deps: { logger: services.logger },
  create: ({ config, deps }) => createRedisRateLimiter({ ...config, logger: deps.logger }),
});
