import { json, jsonOrNull, oneOf, rowFields } from './fields.ts';

/** How calls end. `repaired`: the output fitted its schema only after its JSON was mended, or the model was asked again. */
export const callOutcomes = ['completed', 'repaired', 'failed', 'cancelled', 'cached'] as const;

export type CallOutcome = (typeof callOutcomes)[number];

/** How the first model of a call was chosen. */
export interface ModelDecision {
  /** `affinity`: it is the model of the conversation. `order`: that of the config, without a router. */
  readonly by: 'caller' | 'router' | 'order' | 'affinity';
  /** The alias that the caller named. */
  readonly alias?: string;
  /** It was a trial: no evidence about the models. */
  readonly trial?: true;
  /**
   * Where it was left to chance: all models in the order that was drawn. Neighbours with the same probability of being the
   * first share it.
   */
  readonly chances?: readonly (readonly [propensity: number, ...models: readonly string[]])[];
  /** Of the first, where it was left to chance. */
  readonly reason?: string;
}

/**
 * Work for a call beside the request that answered it. `atMs` is counted from the beginning of the call.
 *
 * - `attempt`: a model that failed, or whose stream was interrupted
 * - `repair`: an output that did not fit its schema, for which the model was asked again
 * - `tool`: a tool of a mounted server
 * - `fetch`: a request of code over HTTP, by its host
 * - `call`: a call that has its own record
 */
export type CallStep =
  | {
      readonly kind: 'attempt' | 'repair' | 'tool' | 'fetch' | 'call';
      /** Of the model, tool, host or function. */
      readonly name: string;
      /** Of the record of a call. */
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
 * A call by name, chat, generation, function call or execution, without its content. The id is that of the answer, which feedback can be
 * about. Never changed, and deleted after 30 days.
 */
export const callRecords = {
  fields: {
    ...rowFields,
    /** The stored function that was called. Empty where there is none. */
    functionId: 'string',
    /** The name that was called. Empty where the answer is not that of a call by name. */
    name: 'string',
    /** Version of the settings of the function. Null where they are not stored. */
    settingsVersion: 'integer?',
    /** `<provider>/<model_name>`, of a failed call the last one. Empty where code answered. */
    model: 'string',
    outcome: oneOf(callOutcomes),
    /** Of the error that its caller received. */
    errorCode: 'string?',
    /** Null where no model was chosen. */
    decision: jsonOrNull<ModelDecision>(),
    /** The models that failed before. */
    attempts: json<readonly { readonly model: string; readonly code: string }[]>(),
    /** Of all models that were asked. Null if the price of one is not known. */
    costNanoUsd: 'integer?',
    promptTokens: 'integer',
    completionTokens: 'integer',
    durationMs: 'integer',
    /** The call that made this one: an execution, or a loop over tools. */
    parentId: 'string?',
    /** Milliseconds in the queue before the call began. */
    queuedMs: 'integer?',
    /** Milliseconds until the first output; without a stream, until the output was complete. */
    firstOutputMs: 'integer?',
    steps: jsonOrNull<readonly CallStep[]>(),
    /** The execution that answered, or whose code asked. Empty where there is none. */
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
 * Request and response of a call, as far as the config has them stored. The id is that of the record, which outlives it.
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

/** Sums of the calls of one hour that one server answered, except those that other calls made. */
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
    /** How many calls took how long: by the number of a range of durations, eight of which double it. */
    durations: json<Readonly<Record<string, number>>>(),
  },
  sort: ['hour'],
  filter: [],
  unique: [],
} as const;
