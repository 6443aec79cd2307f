import { json, jsonOrNull, oneOf, rowFields } from './fields.ts';

/**
 * How calls end. `repaired`: the output matched its schema only after its JSON was repaired, or the model was asked
 * again.
 */
export const callOutcomes = ['completed', 'repaired', 'failed', 'cancelled', 'cached'] as const;

export type CallOutcome = (typeof callOutcomes)[number];

/** How the first model of a call was chosen. */
export interface ModelDecision {
  /** `affinity`: it is the model of the conversation. `order`: the order of the config, without a router. */
  readonly by: 'caller' | 'router' | 'order' | 'affinity';
  /** The alias that the caller named. */
  readonly alias?: string;
  /** It was a trial: no evidence about the models. */
  readonly trial?: true;
  /**
   * If it was left to chance: all models in the order drawn. Neighbours with the same probability of being first share
   * an entry.
   */
  readonly chances?: readonly (readonly [propensity: number, ...models: readonly string[]])[];
  /** Reason for the first, if it was left to chance. */
  readonly reason?: string;
}

/**
 * Work for a call besides the request that answered it. `atMs` is counted from the beginning of the call.
 *
 * - `attempt`: a model that failed, or whose stream was interrupted
 * - `repair`: an output that did not match its schema, so that the model was asked again
 * - `tool`: a tool of a mounted server
 * - `fetch`: an HTTP request made by code, by its host
 * - `call`: a call that has its own record
 */
export type CallStep =
  | {
      readonly kind: 'attempt' | 'repair' | 'tool' | 'fetch' | 'call';
      /** Of the model, tool, host or function. */
      readonly name: string;
      /** Id of the record of a call. */
      readonly id?: string;
      readonly atMs: number;
      readonly durationMs: number;
      /** Error code. Absent where it succeeded. */
      readonly code?: string;
      readonly detail?: string;
      readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
    }
  /** Further steps, which are only counted. */
  | { readonly kind: 'omitted'; readonly count: number };

/**
 * A call by name, chat, generation, function call or execution, without its content. The id is that of the answer,
 * which can be the target of feedback. Never changed, and deleted after 30 days.
 */
export const callRecords = {
  fields: {
    ...rowFields,
    /** The stored function that was called. Empty where there is none. */
    functionId: 'string',
    /** The name that was called. Empty if it was not a call by name. */
    name: 'string',
    /** Version of the settings of the function. Null where they are not stored. */
    settingsVersion: 'integer?',
    /** `<provider>/<model_name>`; for a failed call, the last one. Empty if code answered. */
    model: 'string',
    outcome: oneOf(callOutcomes),
    /** Code of the error that its caller received. */
    errorCode: 'string?',
    /** Null where no model was chosen. */
    decision: jsonOrNull<ModelDecision>(),
    /** The models that failed before it. */
    attempts: json<readonly { readonly model: string; readonly code: string }[]>(),
    /** Of all models that were called. Null if the price of any is not known. */
    costNanoUsd: 'integer?',
    promptTokens: 'integer',
    completionTokens: 'integer',
    durationMs: 'integer',
    /** The call that made this one: an execution, or a tool loop. */
    parentId: 'string?',
    /** Milliseconds in the queue before the call began. */
    queuedMs: 'integer?',
    /** Milliseconds until the first output; without a stream, until the output was complete. */
    firstOutputMs: 'integer?',
    steps: jsonOrNull<readonly CallStep[]>(),
    /** The execution that answered, or whose code made the call. Empty where there is none. */
    executionId: 'string',
    keyId: 'string',
    requestId: 'string',
    /** When the call ended. */
    createdAt: 'time',
  },
  sort: ['createdAt'],
  filter: ['functionId', 'model', 'keyId', 'outcome'],
  combined: [['functionId', 'outcome']],
  unique: [],
} as const;

/**
 * Request and response of a call, as far as the config stores them. The id is that of the record, which outlives
 * them.
 */
export const callContents = {
  fields: {
    ...rowFields,
    /** Length of `content`. */
    bytes: 'integer',
    /** When the call ended. */
    createdAt: 'time',
    /** JSON, encrypted. */
    content: 'text',
  },
  sort: ['createdAt'],
  filter: [],
  unique: [],
} as const;

/** Totals of the calls that one server answered in one hour, except those made by other calls. */
export const callHours = {
  fields: {
    ...rowFields,
    /** When the hour begins. */
    hour: 'time',
    calls: 'integer',
    repaired: 'integer',
    failed: 'integer',
    cancelled: 'integer',
    cached: 'integer',
    /** Of the calls whose price is known. */
    costNanoUsd: 'integer',
    /** How many calls took how long: counts by the number of a range of durations, with eight ranges per doubling. */
    durations: json<Readonly<Record<string, number>>>(),
  },
  sort: ['hour'],
  filter: [],
  unique: [],
} as const;
