import type { RateLimiter, RatePolicy } from '@patchbay/core/plugin';

/** The time that a limiter sees, and how to make it pass. */
export interface TestTime {
  /** Milliseconds, as in `Clock.monotonic`. */
  now(): number;
}

export interface RateLimiterConformanceOptions {
  /** A fresh limiter with no bucket in use, once for each test, that reads the time from `time`. */
  create(time: TestTime): RateLimiter | Promise<RateLimiter>;
}

/** The subject of a test. */
export interface RateLimiterSubject {
  readonly limiter: RateLimiter;
  /** Let time pass. */
  readonly pass: (milliseconds: number) => void;
  /** Take units, and report whether they were available. */
  readonly take: (key: string, cost: number, policy: RatePolicy) => Promise<boolean>;
}

/** The subject of a part of the suite. */
export interface RateLimiterSuite {
  /** A test with a started limiter, which is stopped afterwards. */
  readonly it: (name: string, body: (subject: RateLimiterSubject) => Promise<void>) => void;
}

/** 10 at once, and one more each 100 ms. */
export const ten: RatePolicy = { name: 'ten', requests: 10, seconds: 1, burst: 10 };

/** 3 at once, and one more each third of a second: a rate without a finite number of digits. */
export const thirds: RatePolicy = { name: 'thirds', requests: 3, seconds: 1, burst: 3 };
