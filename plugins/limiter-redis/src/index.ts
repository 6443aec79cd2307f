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
        description: 'Address, with user and password where Redis asks for them; `rediss:` for TLS.',
      },
      prefix: { type: 'string', default: 'patchbay:limit:', description: 'What the keys in Redis begin with.' },
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
        default: 75,
        description: 'Milliseconds after which an answer is too late. The server waits 80 at most.',
      },
    },
  },
  deps: { logger: services.logger },
  create: ({ config, deps }) => createRedisRateLimiter({ ...config, logger: deps.logger }),
});
