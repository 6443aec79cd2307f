import type { Lifecycle } from './lifecycle.ts';

/** A token bucket: `burst` at once, refilled at `requests` per `seconds`. */
export interface RatePolicy {
  /** Shown to callers in `RateLimit-Policy`. */
  readonly name: string;
  readonly requests: number;
  readonly seconds: number;
  readonly burst: number;
}

export interface RateDecision {
  readonly allowed: boolean;
  /** Units left now. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
  /** Seconds until `cost` units are there; 0 when allowed. */
  readonly retryAfterSeconds: number;
}

/** Counts what callers use. Exact under concurrency: of a burst over the limit, just what fits is allowed. */
export interface RateLimiter extends Lifecycle {
  /** Take `cost` units from the bucket of `key`, or none where there are fewer. */
  consume(key: string, cost: number, policy: RatePolicy): Promise<RateDecision>;
}
