import type { RatePolicy } from './rate-limiter.ts';

/** How often something may be used: `burst` requests at once, refilled at `requests` per `seconds`. */
export type RateLimit = Omit<RatePolicy, 'name'>;

/** Calendar periods, in UTC. */
export const budgetPeriods = ['day', 'month'] as const;

/** How much may be spent on models. */
export interface Budget {
  /** US dollars per period, more than 0. */
  readonly usd: number;
  /** A calendar day or month in UTC. */
  readonly period: (typeof budgetPeriods)[number];
}

/** Limits that one key or one tenant has of its own, in place of those that the config has for all. */
export interface OwnLimits {
  readonly rateLimit?: RateLimit;
  readonly budget?: Budget;
}
