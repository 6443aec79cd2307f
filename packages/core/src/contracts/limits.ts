import type { OptionSchema, OptionValue } from './config-schema.ts';
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

/** Limits of one key or one tenant, in place of those that the config has for all. */
export interface OwnLimits {
  readonly rateLimit?: RateLimit;
  readonly budget?: Budget;
}

/** Kinds of operations with a separate limit, beside the one on all requests. */
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
      burst: { type: 'integer', minimum: 1, maximum: MOST, default: burst, description: 'What can be used at once.' },
      off: { type: 'boolean', default: false, description: 'Not limited at all.' },
    },
  } as const satisfies OptionSchema;
}

function count(description: string, most: number) {
  return { type: 'integer', minimum: 1, maximum: MOST, default: most, description } as const satisfies OptionSchema;
}

/** @param spread How many keys at their limit of what is under way a tenant may have. */
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
        description: 'Of questions and answers together.',
      },
      budget: {
        type: 'object',
        description: 'What may be spent on models.',
        properties: {
          usd: { type: 'number', minimum: 0, maximum: 1_000_000, description: 'US dollars per period.' },
          period: { type: 'string', enum: budgetPeriods, description: 'A calendar day or month in UTC.' },
        },
        required: ['usd', 'period'],
      },
      concurrent: {
        type: 'object',
        description: 'What may be under way at the same time.',
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
  description: 'How much callers may use.',
  reload: true,
  default: {},
  properties: {
    off: { type: 'boolean', default: false, description: 'Nothing is limited.' },
    key: callerLimits('What each key may use.', 1, 1),
    tenant: callerLimits('What all keys of a tenant may use together.', 10, 4),
    unpriced: {
      type: 'string',
      enum: ['refuse', 'allow'],
      default: 'refuse',
      description: 'Models without a known price, for callers with a budget: no budget can count what they cost.',
    },
    failedAuthentication: rateLimit('Refused credentials, by address.', { requests: 60, seconds: 60, burst: 300 }),
  },
} as const satisfies OptionSchema;

/** The limits of a config, with defaults filled in. */
export type Limits = OptionValue<typeof limitOptions>;

/** Limits of one key, or of one tenant with all its keys together. */
export type CallerLimits = Limits['key'];

/** A rate limit, and whether it applies at all. */
export type SwitchableRateLimit = Limits['failedAuthentication'];
