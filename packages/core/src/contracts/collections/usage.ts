import { endedStatuses } from './executions.ts';
import { type Fields, oneOf, type RowOf, rowFields } from './fields.ts';

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
  /** `cached`: a cached response took the place of a call of a model. */
  outcome: oneOf([...endedStatuses, 'cached']),
} as const satisfies Fields;

/** Executions, calls of a model, or feedback: one, or several of the same dimensions that were written together. */
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

export type UsageAmounts = RowOf<typeof usageAmounts>;

export type UsageDimensions = RowOf<typeof usageDimensions>;
