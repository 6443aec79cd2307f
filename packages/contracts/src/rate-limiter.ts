import type { Lifecycle } from './lifecycle.ts';

/**
 * A token bucket: `burst` units at once, refilled at `requests` per `seconds`. It follows the generic
 * cell rate algorithm (GCRA): there is no window at whose edge twice the limit could get through.
 */
export interface RatePolicy {
  /** Shown to callers in `RateLimit-Policy`. */
  readonly name: string;
  /** More than 0. */
  readonly requests: number;
  /** More than 0. */
  readonly seconds: number;
  /** At least 1. */
  readonly burst: number;
}

/** Units to take from one bucket. */
export interface RateCharge {
  /** Identifies the bucket. Equal keys share a bucket, whatever the policy. Up to 512 characters. */
  readonly key: string;
  /** An integer. A charge of more than `burst` is never allowed. */
  readonly cost: number;
  readonly policy: RatePolicy;
}

/** The state of one bucket after an accepted or rejected charge. */
export interface RateDecision {
  /** The bucket has enough units. If all buckets of a call have, the units were taken. */
  readonly allowed: boolean;
  /** Whole units left; 0 if the bucket is overdrawn. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
  /** Seconds until the cost is available; 0 if allowed. A retry after that time succeeds without competition. */
  readonly retryAfterSeconds: number;
}

/**
 * Counts usage of callers. Exact under concurrency: of a burst over the limit, exactly the limit is allowed.
 *
 * An unused bucket is full. Buckets that are full again are dropped, so that memory depends on the number of active
 * callers.
 *
 * @example
 * ```ts
 * import type { RateLimiter } from '@patchbay/core/plugin';
 *
 * async function mayKnock(limiter: RateLimiter, address: string) {
 *   const policy = { name: 'door', requests: 5, seconds: 60, burst: 5 };
 *   const [decision] = await limiter.consume([{ key: `door:${address}`, cost: 1, policy }]);
 *   return decision?.allowed === true;
 * }
 * ```
 */
export interface RateLimiter extends Lifecycle {
  /**
   * Take the cost of every charge from its bucket, or nothing if one of the buckets has too little.
   *
   * @param charges 1 to 16, each with a different key.
   * @returns a decision for each, in the same order.
   */
  consume(charges: readonly RateCharge[]): Promise<readonly RateDecision[]>;
  /**
   * Correct an earlier charge once the actual cost is known: take more, even if the bucket is then overdrawn and
   * rejects until it recovers; or, with a negative cost, return units, up to a full bucket. Never rejects.
   */
  adjust(charges: readonly RateCharge[]): Promise<void>;
}

// Far below one unit, and far above the accumulated rounding of a thousand refills.
const ROUNDING = 1e-6;

/**
 * The decision for a charge to a bucket with `used` units in use.
 *
 * @param taken Whether the units were taken, and count as used.
 *
 * @example
 * ```ts
 * import { rateDecision } from '@patchbay/core/plugin';
 *
 * const policy = { name: 'door', requests: 5, seconds: 60, burst: 5 };
 * console.log(rateDecision({ key: 'door', cost: 1, policy }, 5).allowed); // false
 * ```
 */
export function rateDecision({ cost, policy }: RateCharge, used: number, taken = false): RateDecision {
  const unitsPerSecond = policy.requests / policy.seconds;
  const allowed = taken || used + cost <= policy.burst + ROUNDING;
  return {
    allowed,
    remaining: Math.max(0, Math.floor(policy.burst - used + ROUNDING)),
    resetSeconds: used / unitsPerSecond,
    retryAfterSeconds: allowed ? 0 : (used + cost - policy.burst) / unitsPerSecond,
  };
}
