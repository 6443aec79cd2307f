import { repeatedStatuses } from '@patchbay/contracts/function-settings';
import type { JsonValue } from '@patchbay/contracts/json';
import { disabledReasons, endedStatuses } from '@patchbay/contracts/rows';

/** The operations of the gateway that events name. */
const gatewayOperations = ['generate', 'chat', 'embed', 'generateFunctionCall', 'generateObject'] as const;

export type GatewayOperation = (typeof gatewayOperations)[number];

/** A kind of event: when it occurs, and its data. */
export interface EventKind {
  readonly summary: string;
  /** JSON Schema of `data`. Members may be added, and are never removed. */
  readonly data: EventDataSchema;
  readonly example: object;
}

export interface EventDataSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
}

/** A member of an event: its schema, and its value in the example. */
type Member = readonly [schema: object, example: JsonValue];

/** Every event contains all members; those that do not apply are null. */
function kind(summary: string, members: Readonly<Record<string, Member>>): EventKind {
  const all = Object.entries(members);
  const properties = Object.fromEntries(all.map(([name, [schema]]) => [name, schema]));
  const example = Object.fromEntries(all.map(([name, [, value]]) => [name, value]));
  return { summary, data: { type: 'object', properties, required: Object.keys(members) }, example };
}

/** The same member with another value in the example. */
const such = ([schema]: Member, example: JsonValue): Member => [schema, example];
const text = (description: string, example: string): Member => [{ type: 'string', description }, example];
const oneOf = (values: readonly string[], description: string, example: string): Member => {
  return [{ type: 'string', enum: values, description }, example];
};
const optional = (description: string, example: string | null): Member => {
  return [{ type: ['string', 'null'], description }, example];
};
const count = (description: string, example: number): Member => {
  return [{ type: 'integer', minimum: 0, description }, example];
};
const version = (description: string, example: number): Member => {
  return [{ type: 'integer', minimum: 1, description }, example];
};

const SAMPLE = '01k0d9v0pe4x2h5n6q7r8s9t0v';
const id = (of: string, prefix: string) => text(`Id of the ${of}.`, `${prefix}_${SAMPLE}`);
const functionId = id('function', 'function');
const keyId = id('key', 'key');
const webhookId = id('webhook', 'webhook');
const storedFunction = {
  functionId,
  name: text('Name of the function.', 'Summarize Text'),
  version: version('Current version.', 1),
};
const execution = {
  executionId: id('execution', 'execution'),
  functionId,
  functionVersion: version('Executed version.', 1),
  status: oneOf(endedStatuses, 'Final status.', 'completed'),
  durationMs: [
    { type: ['integer', 'null'], minimum: 0, description: 'Duration of the run. Null if it did not finish.' },
    12,
  ],
  errorCode: optional('Code of the error. Null if it completed.', null),
  scheduleId: optional('Schedule that it belongs to. Null for all others.', null),
} as const;
const request = {
  requestId: id('request', 'request'),
  callerId: text('The caller: id of an API key, or issuer and subject of a token.', `key_${SAMPLE}`),
  executionId: optional('Execution that sent the request. Null for external callers.', null),
};
const model = text('Id of the model that responded.', 'openai/gpt-5');
const tokens = {
  promptTokens: count('Tokens of the prompt.', 20),
  completionTokens: count('Tokens of the completion.', 10),
  totalTokens: count('Total number of tokens.', 30),
};
const attempts: Member = [
  {
    type: 'array',
    description: 'The models that failed, in order.',
    items: {
      type: 'object',
      properties: {
        model: { type: 'string', description: 'Id of the model.' },
        code: { type: 'string', description: 'Error code of the attempt.' },
      },
      required: ['model', 'code'],
    },
  },
  [{ model: 'openai/gpt-5', code: 'provider_timeout' }],
];
const answered = (idName: string, summary: string, prefix: string) =>
  kind(summary, { [idName]: id('answer', prefix), ...request, model, ...tokens });

/** Every event type that webhooks can subscribe to. Types are part of the public interface: added, never renamed. */
export const eventKinds = {
  'function.created': kind('A function was created.', storedFunction),
  'function.updated': kind('A function was replaced, or an old version of it restored.', {
    ...storedFunction,
    version: such(storedFunction.version, 2),
  }),
  'function.deleted': kind('A function was deleted, with its versions and settings.', { functionId }),
  'function.settings.updated': kind('The settings of a function were changed or deleted, or a label was moved.', {
    functionId,
    deleted: [{ type: 'boolean', description: 'Whether all settings of the function were deleted.' }, false],
    version: [{ type: ['integer', 'null'], minimum: 1, description: 'Version that the label points to.' }, 3],
    label: optional('The label, such as `production`.', 'production'),
  }),
  'experiment.ended': kind(
    'An experiment has a winner that took its label over, was stopped, or its label was changed.',
    {
      experimentId: id('experiment', 'experiment'),
      functionId,
      label: text('The label, such as `production`.', 'production'),
      status: text('`won`, `stopped` or `superseded`.', 'won'),
      winner: [{ type: ['integer', 'null'], minimum: 1, description: 'Version that won. Null without a winner.' }, 4],
    },
  ),
  'execution.completed': kind('An execution completed.', execution),
  'execution.failed': kind('An execution did not complete: it failed, timed out, was cancelled or was interrupted.', {
    ...execution,
    status: such(execution.status, 'timed_out'),
    durationMs: such(execution.durationMs, 10_000),
    errorCode: such(execution.errorCode, 'wall_limit'),
  }),
  'dead_letter.created': kind(
    'An asynchronous execution, or one of a schedule, did not complete in its last run. `execution.failed` is sent as well.',
    {
      executionId: execution.executionId,
      functionId,
      status: oneOf(repeatedStatuses, 'Final status.', 'failed'),
      errorCode: optional('Code of the error.', 'function_threw'),
      attempts: count('Number of runs. 0 if it could not be run.', 4),
      scheduleId: execution.scheduleId,
      scheduledFor: optional('Time that its schedule names. Null for all others.', null),
    },
  ),
  'schedule.paused': kind('The server paused a schedule, because the key that it runs as is not valid any more.', {
    scheduleId: id('schedule', 'schedule'),
    functionId,
    name: text('Name of the schedule.', 'nightly'),
    reason: text('`key_revoked`: the key was revoked, or has expired.', 'key_revoked'),
  }),
  'generation.completed': answered(
    'generationId',
    'A model generated a text, or an object for a dynamic call.',
    'generation',
  ),
  'chat.completed': answered('chatId', 'A model completed a chat.', 'chat'),
  'embedding.completed': kind('A model created an embedding.', {
    embeddingId: id('answer', 'embedding'),
    ...request,
    model: such(model, 'openai/text-embedding-3-small'),
    tokens: count('Tokens of the input.', 5),
  }),
  'function_call.completed': answered('functionCallId', 'A model returned a function call.', 'function_call'),
  'gateway.failed': kind('A model request failed.', {
    ...request,
    operation: oneOf(gatewayOperations, 'Operation of the request.', 'chat'),
    errorCode: text('Error code that the caller received.', 'provider_timeout'),
    attempts,
  }),
  'model.fallback': kind('A model responded after others had failed.', {
    ...request,
    model: such(model, 'anthropic/claude-sonnet-4-5'),
    attempts,
  }),
  'feedback.created': kind('Feedback about an answer was given.', {
    feedbackId: id('feedback', 'feedback'),
    target: text('Id of the call, chat, generation, function call or execution.', `call_${SAMPLE}`),
    metric: text('Name of the metric.', 'score'),
    value: [{ type: ['number', 'null'], description: 'The value: 1 for true, 0 for false. Null if it is a text.' }, 1],
    functionId: optional('Function that was called. Null if it is not stored.', `function_${SAMPLE}`),
    model: optional('Id of the model that responded. Null if code did.', 'openai/gpt-5'),
    callerId: request.callerId,
  }),
  'feedback.deleted': kind('Feedback was deleted: the target can get other feedback with this metric.', {
    feedbackId: id('feedback', 'feedback'),
    target: text('Id of the call, chat, generation, function call or execution.', `call_${SAMPLE}`),
    metric: text('Name of the metric.', 'score'),
  }),
  'key.created': kind('An API key was created.', {
    keyId,
    name: text('Name of the key.', 'Deployments'),
    scopes: [{ type: 'array', items: { type: 'string' }, description: 'Scopes of the key.' }, ['functions:read']],
    expiresAt: optional('Expiry time. Null if it never expires.', null),
  }),
  'key.revoked': kind('An API key was revoked.', { keyId }),
  'webhook.disabled': kind('The server disabled a webhook. Sent to the other webhooks of the tenant.', {
    webhookId,
    reason: oneOf(
      disabledReasons,
      '`gone`: the receiver returned 410. `failing`: every attempt failed for five days.',
      'failing',
    ),
  }),
  'webhook.test': kind('A test was requested. Sent to that webhook only, regardless of its event types.', {
    webhookId,
  }),
} as const satisfies Readonly<Record<string, EventKind>>;

/** Such as `function.created`. */
export type EventKindName = keyof typeof eventKinds;

/**
 * The schema of a whole message of a kind.
 *
 * @example
 * ```ts
 * import { messageSchema } from '@patchbay/core';
 *
 * console.log(JSON.stringify(messageSchema('function.created')));
 * ```
 */
export function messageSchema(kind: EventKindName) {
  return {
    type: 'object',
    properties: {
      type: { const: kind },
      timestamp: { type: 'string', format: 'date-time', description: 'Time of the event. UTC, with milliseconds.' },
      data: eventKinds[kind].data,
    },
    required: ['type', 'timestamp', 'data'],
  } as const;
}
