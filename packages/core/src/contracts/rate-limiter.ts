import type { Lifecycle } from './lifecycle.ts';

/**
 * A token bucket: `burst` units at once, refilled at `requests` per `seconds`. What fits is decided as by the generic
 * cell rate algorithm (GCRA): there is no window at whose edge twice the limit would pass.
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
  /** Names the bucket. Buckets of the same key are the same, whatever the policy. Up to 512 characters. */
  readonly key: string;
  /** An integer. A charge of more than `burst` is never allowed. */
  readonly cost: number;
  readonly policy: RatePolicy;
}

/** The state of one bucket after a charge was made or refused. */
export interface RateDecision {
  /** The bucket has enough. Where all buckets of a call have, the units were taken. */
  readonly allowed: boolean;
  /** Whole units left now; 0 where more was taken than there is. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
  /** Seconds until the cost is there; 0 when allowed. After that time, a caller without competition is not refused again. */
  readonly retryAfterSeconds: number;
}

/**
 * Counts what callers use. Exact under concurrency: of a burst over the limit, just what fits is allowed.
 *
 * An unused bucket is full. Buckets that are full again are forgotten, so that memory follows the callers
 * that are active.
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
   * Take the cost of every charge from its bucket, or nothing at all where one of the buckets has too little.
   *
   * @param charges 1 to 16, each with a different key.
   * @returns a decision for each, in the same order.
   */
  consume(charges: readonly RateCharge[]): Promise<readonly RateDecision[]>;
  /**
   * Correct what was taken before, once the true cost is known: more, even where the bucket then owes and refuses until
   * it is even again; or, with a negative cost, back, up to a full bucket. Never refuses.
   */
  adjust(charges: readonly RateCharge[]): Promise<void>;
}
