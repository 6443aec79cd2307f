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
  /** Where it was left to chance: all models in the order that was drawn, each with its probability of being the first. */
  readonly candidates?: readonly { readonly model: string; readonly propensity: number }[];
  /** Of the first, where it was left to chance. */
  readonly reason?: string;
}

/**
 * A call by name, chat, generation or function call, without its content. The id is that of the answer, which feedback can be
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
    /** Null where no model was chosen. */
    decision: jsonOrNull<ModelDecision>(),
    /** The models that failed before. */
    attempts: json<readonly { readonly model: string; readonly code: string }[]>(),
    /** Of all models that were asked. Null if the price of one is not known. */
    costNanoUsd: 'integer?',
    promptTokens: 'integer',
    completionTokens: 'integer',
    durationMs: 'integer',
    /** The execution that answered, or whose code asked. Empty where there is none. */
    executionId: 'string',
    keyId: 'string',
    requestId: 'string',
    /** When the call ended. */
    createdAt: 'time',
  },
  sort: ['createdAt'],
  filter: ['functionId', 'model', 'keyId', 'outcome'],
  unique: [],
} as const;
