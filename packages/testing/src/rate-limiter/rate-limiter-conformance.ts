import type { Runner } from '../runner.ts';
import { bucketSuite } from './bucket-suite.ts';
import { chargesSuite } from './charges-suite.ts';
import type { RateLimiterConformanceOptions, RateLimiterSuite } from './rate-limiter-under-test.ts';

/**
 * The tests that every rate limiter has to pass, run against yours. Time is passed in, so that the limit is tested exactly
 * and nothing waits.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { RateLimiter } from '@patchbay/core/plugin';
 * import { rateLimiterConformance } from '@patchbay/testing';
 *
 * declare function createMyLimiter(clock: { monotonic(): number }): RateLimiter;
 *
 * rateLimiterConformance({ describe, it }, { create: (time) => createMyLimiter({ monotonic: () => time.now() }) });
 * ```
 */
export function rateLimiterConformance(runner: Runner, options: RateLimiterConformanceOptions): void {
  const suite: RateLimiterSuite = {
    it(name, body) {
      runner.it(name, async () => {
        let now = 1_000_000;
        const limiter = await options.create({ now: () => now });
        try {
          await limiter.start?.(new AbortController().signal);
          await body({
            limiter,
            pass: (milliseconds) => {
              now += milliseconds;
            },
            async take(key, cost, policy) {
              const [decision] = await limiter.consume([{ key, cost, policy }]);
              return decision?.allowed === true;
            },
          });
        } finally {
          await limiter.stop?.();
        }
      });
    },
  };
  runner.describe('rate limiter', () => {
    bucketSuite(suite);
    chargesSuite(suite);
  });
}
