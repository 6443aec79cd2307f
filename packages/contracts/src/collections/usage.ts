import { endedStatuses } from './executions.ts';
import { type Fields, jsonOrNull, oneOf, type RowOf, rowFields } from './fields.ts';

/** Amounts of usage, in buckets that do not overlap. */
const usageAmounts = {
  uncachedInputTokens: 'integer',
  cacheReadTokens: 'integer',
  cacheWriteTokens: 'integer',
  /** Including reasoning tokens. */
  outputTokens: 'integer',
  reasoningTokens: 'integer',
  /** Milliseconds that the caller waited. */
  durationMs: 'integer',
} as const satisfies Fields;

/** The dimensions that calls are counted by. */
const usageDimensions = {
  kind: oneOf(['execution', 'model', 'feedback']),
  /** Principal that called; for calls of a function, the principal that executed it. */
  keyId: 'string',
  /** The function that was executed, whose code called the model, or that feedback is about. Empty where there is none. */
  functionId: 'string',
  /** `<provider>/<model_name>`; empty for executions. */
  model: 'string',
  /** `cached`: a cached response took the place of a model call. */
  outcome: oneOf([...endedStatuses, 'cached']),
} as const satisfies Fields;

/** Executions, model calls, or feedback: one, or several with the same dimensions that were written together. */
export const usageEntries = {
  fields: {
    ...rowFields,
    ...usageDimensions,
    ...usageAmounts,
    /** How many. Null in rows of older versions, which have one each. */
    calls: 'integer?',
    /** Of the first. */
    requestId: 'string',
    /** In billionths of a US dollar. Null where no price is known, and for executions. */
    costNanoUsd: 'integer?',
    /** The provider did not report token counts; they are estimates. */
    estimated: 'boolean',
    createdAt: 'time',
  },
  sort: ['createdAt'],
  filter: [],
  unique: [],
  scan: { where: [], sort: 'createdAt' },
} as const;

/** Totals of one hour for one combination of dimensions. */
export const usageHours = {
  fields: {
    ...rowFields,
    /** When the hour begins. */
    hour: 'time',
    ...usageDimensions,
    ...usageAmounts,
    calls: 'integer',
    /** Of the calls whose price is known. */
    costNanoUsd: 'integer',
    /** Calls of models whose price is not known. */
    unpricedCalls: 'integer',
  },
  sort: ['hour'],
  filter: ['keyId'],
  unique: [],
} as const;

/**
 * Totals of one past day for each value of one dimension, computed from those of its hours when they are first read.
 */
export const usageDays = {
  fields: {
    ...rowFields,
    /** When the day begins, in UTC. */
    day: 'time',
    dimension: oneOf(['kind', 'keyId', 'functionId', 'model', 'outcome']),
    /** By value of the dimension. Null while they are being computed, and if there are too many values. */
    sums: jsonOrNull<readonly (readonly [value: string, totals: UsageTotals])[]>(),
  },
  sort: ['day'],
  filter: ['dimension', 'day'],
  unique: [],
} as const;

/** Sums over calls. */
export interface UsageTotals {
  readonly executions: number;
  readonly modelCalls: number;
  /** Calls that were served from the cache. */
  readonly cachedCalls: number;
  /** Feedback about answers, by their function and model. */
  readonly feedback: number;
  /** Calls that did not complete. */
  readonly failures: number;
  readonly uncachedInputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Milliseconds. */
  readonly durationMs: number;
  /** Billionths of a US dollar, of the calls whose price is known; null if no price is known. */
  readonly costNanoUsd: number | null;
  /** Model calls whose price is not known. */
  readonly unpricedCalls: number;
}

export type UsageAmounts = RowOf<typeof usageAmounts>;

export type UsageDimensions = RowOf<typeof usageDimensions>;
