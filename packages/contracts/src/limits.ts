import type { OptionSchema, OptionValue } from './config-schema.ts';
import type { RatePolicy } from './rate-limiter.ts';

/** A rate limit: `burst` requests at once, refilled at `requests` per `seconds`. */
export type RateLimit = Omit<RatePolicy, 'name'>;

/** Calendar periods, in UTC. */
export const budgetPeriods = ['day', 'month'] as const;

/** A budget for models. */
export interface Budget {
  /** US dollars per period, more than 0. */
  readonly usd: number;
  /** A calendar day or month in UTC. */
  readonly period: (typeof budgetPeriods)[number];
  /**
   * A call is only accepted if its maximum cost is left, so that nothing is overspent. Default: if anything is left.
   */
  readonly strict?: boolean;
}

/** Limits of one key or one tenant, in place of the general ones in the config. */
export interface OwnLimits {
  readonly rateLimit?: RateLimit;
  readonly budget?: Budget;
}

/** Kinds of operations with a separate limit, in addition to the one on all requests. */
export type OperationClass = 'execute' | 'model';

/** Largest number of requests and of units: still counted exactly, and far above what a process can serve. */
const MOST = 1_000_000_000;

function rateLimit(description: string, { requests, seconds, burst }: RateLimit) {
  return {
    type: 'object',
    description,
    default: {},
    properties: {
      requests: {
        type: 'integer',
        minimum: 1,
        maximum: MOST,
        default: requests,
        description: 'Refilled per `seconds`.',
      },
      seconds: { type: 'integer', minimum: 1, maximum: 86_400, default: seconds, description: 'See `requests`.' },
      burst: {
        type: 'integer',
        minimum: 1,
        maximum: MOST,
        default: burst,
        description: 'Maximum number of requests at once.',
      },
      off: { type: 'boolean', default: false, description: 'Turns this limit off.' },
    },
  } as const satisfies OptionSchema;
}

function count(description: string, most: number) {
  return { type: 'integer', minimum: 1, maximum: MOST, default: most, description } as const satisfies OptionSchema;
}

/** @param spread Concurrency limit of a tenant as a multiple of that of a key. */
function callerLimits(description: string, factor: number, spread: number) {
  const perSecond = (requests: number, burst: number) => ({
    requests: factor * requests,
    seconds: 1,
    burst: factor * burst,
  });
  return {
    type: 'object',
    description,
    default: {},
    properties: {
      all: rateLimit('Requests of every kind.', perSecond(100, 1_000)),
      execute: rateLimit('Executions of functions, on top of `all`.', perSecond(50, 200)),
      model: rateLimit('Requests to models, on top of `all`.', perSecond(50, 200)),
      tokensPerMinute: {
        type: 'integer',
        minimum: 1,
        maximum: MOST,
        description: 'Prompt and completion tokens together.',
      },
      budget: {
        type: 'object',
        description: 'Budget for models.',
        properties: {
          usd: { type: 'number', minimum: 0, maximum: 1_000_000, description: 'US dollars per period.' },
          period: { type: 'string', enum: budgetPeriods, description: 'A calendar day or month in UTC.' },
        },
        required: ['usd', 'period'],
      },
      concurrent: {
        type: 'object',
        description: 'Maximum number of concurrent requests.',
        default: {},
        properties: {
          execute: count('Executions of functions.', 64 * spread),
          model: count('Requests to models.', 256 * spread),
        },
      },
    },
  } as const satisfies OptionSchema;
}

/** The section `limits` of a config. */
export const limitOptions = {
  type: 'object',
  description: 'Rate limits, concurrency limits and budgets of callers.',
  reload: true,
  default: {},
  properties: {
    off: { type: 'boolean', default: false, description: 'Turns all limits off.' },
    key: callerLimits('Limits per key.', 1, 1),
    tenant: callerLimits('Limits per tenant, across all keys.', 10, 4),
    bodyBytes: {
      type: 'integer',
      minimum: 1_048_576,
      maximum: 1_099_511_627_776,
      default: 268_435_456,
      description:
        'Bytes that the bodies of all requests in progress may have together. Requests beyond that get 503, and can be sent ' +
        'again.',
    },
    unpriced: {
      type: 'string',
      enum: ['refuse', 'allow'],
      default: 'refuse',
      description:
        'Whether callers with a budget may use models without a known price, whose cost no budget can count.',
    },
    failedAuthentication: rateLimit('Failed authentication attempts, by IP address.', {
      requests: 60,
      seconds: 60,
      burst: 300,
    }),
  },
} as const satisfies OptionSchema;

/** The limits of a config, with defaults filled in. */
export type Limits = OptionValue<typeof limitOptions>;

/** Limits of one key, or of one tenant with all its keys together. */
export type CallerLimits = Limits['key'];

/** A rate limit that can be turned off. */
export type SwitchableRateLimit = Limits['failedAuthentication'];
