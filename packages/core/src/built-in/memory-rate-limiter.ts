import type { Clock } from '@patchbay/contracts/clock';
import { type RateCharge, type RateLimiter, type RatePolicy, rateDecision } from '@patchbay/contracts/rate-limiter';

/** Counted in units, not in time: while the clock stands still, whole units add up without rounding. */
export interface Bucket {
  used: number;
  /** When `used` was right, in milliseconds of the monotonic clock. */
  at: number;
  /** When nothing is in use any more. */
  fullAt: number;
}

/** Number of buckets checked per used bucket, to find expired ones. */
const SWEPT_PER_USE = 2;

/** A caller that goes on sending requests keeps its buckets, however fast they are full again. */
const KEPT_MS = 1_000;

/**
 * The rate limiter of a host that has no other. Counts in this process; exact, because nothing else runs between
 * checking and taking.
 *
 * @param buckets Where the buckets are kept.
 *
 * @example
 * ```ts
 * import { createMemoryRateLimiter } from '@patchbay/core';
 *
 * const limiter = createMemoryRateLimiter({ monotonic: () => performance.now() });
 * console.log(await limiter.consume([])); // []
 * ```
 */
export function createMemoryRateLimiter(
  clock: Pick<Clock, 'monotonic'>,
  buckets: Map<string, Bucket> = new Map(),
): RateLimiter {
  let swept = buckets.entries();

  const find = ({ key, policy }: RateCharge, now: number): Bucket => {
    const known = buckets.get(key);
    if (known) {
      known.used = Math.max(0, known.used - (now - known.at) * unitsPerMs(policy));
      known.at = now;
      return known;
    }
    const bucket = { used: 0, at: now, fullAt: now };
    buckets.set(key, bucket);
    return bucket;
  };

  const use = (bucket: Bucket, { cost, policy }: RateCharge, now: number): void => {
    bucket.used = Math.max(0, bucket.used + cost);
    bucket.fullAt = now + bucket.used / unitsPerMs(policy);
  };

  const sweep = (now: number, count: number): void => {
    for (let left = count; left > 0; left -= 1) {
      const { done, value } = swept.next();
      if (done) {
        swept = buckets.entries();
        return;
      }
      if (value[1].fullAt + KEPT_MS < now) buckets.delete(value[0]);
    }
  };

  return {
    async consume(charges) {
      const now = clock.monotonic();
      sweep(now, SWEPT_PER_USE * charges.length);
      const found = charges.map((charge) => find(charge, now));
      const all = charges.every((charge, place) => rateDecision(charge, (found[place] as Bucket).used).allowed);
      return charges.map((charge, place) => {
        const bucket = found[place] as Bucket;
        if (all) use(bucket, charge, now);
        return rateDecision(charge, bucket.used, all);
      });
    },

    async adjust(charges) {
      const now = clock.monotonic();
      sweep(now, SWEPT_PER_USE * charges.length);
      for (const charge of charges) use(find(charge, now), charge, now);
    },
  };
}

const unitsPerMs = ({ requests, seconds }: RatePolicy): number => requests / seconds / 1_000;
