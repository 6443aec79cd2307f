import type { Budget, RateLimit } from './limits.ts';
import type { OperationClass } from './operation-class.ts';

export interface SwitchableRateLimit extends RateLimit {
  /** Not limited at all. */
  readonly off: boolean;
}

/** What one key, or one tenant with all its keys together, may do. */
export interface CallerLimits {
  /** Requests of every kind. */
  readonly all: SwitchableRateLimit;
  /** Executions of functions, on top of `all`. */
  readonly execute: SwitchableRateLimit;
  /** Requests to models, on top of `all`. */
  readonly model: SwitchableRateLimit;
  /** Requests of each kind that may be under way at the same time. */
  readonly concurrent: Readonly<Record<OperationClass, number>>;
  /** Tokens of questions and answers together. Absent: any number. */
  readonly tokensPerMinute?: number;
  /** What may be spent on models. Absent: any amount. */
  readonly budget?: Budget;
}

/** What callers may do, with everything filled in. */
export interface Limits {
  /** Nothing is limited. */
  readonly off: boolean;
  readonly key: CallerLimits;
  readonly tenant: CallerLimits;
  /** Whether callers with a budget may call models without a known price, whose cost no budget can count. */
  readonly unpriced: 'refuse' | 'allow';
  /** Credentials that were refused, by the address that sent them. */
  readonly failedAuthentication: SwitchableRateLimit;
}

type Given<T> = { readonly [N in keyof T]?: T[N] extends object ? Given<T[N]> : T[N] };

/** The section `limits` of a config: what is left out has its default. */
export type LimitsConfig = Given<Limits>;
