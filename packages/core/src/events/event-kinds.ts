import { disabledReasons, endedStatuses } from '../contracts/rows.ts';

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

const text = (description: string) => ({ type: 'string', description }) as const;
const optional = (description: string) => ({ type: ['string', 'null'], description }) as const;
const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;

/** Every event contains all members; those that do not apply are null. */
function data(properties: EventDataSchema['properties']): EventDataSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

const functionId = text('Id of the function.');
const stored = data({
  functionId,
  name: text('Name of the function.'),
  version: { type: 'integer', minimum: 1, description: 'The version that it has now.' },
});
const functionExample = { functionId: 'function_01k0d9v0pe4x2h5n6q7r8s9t0v', name: 'Summarize Text', version: 1 };

const execution = data({
  executionId: text('Id of the execution.'),
  functionId,
  functionVersion: { type: 'integer', minimum: 1, description: 'The version that ran.' },
  status: {
    type: 'string',
    enum: endedStatuses,
    description: 'How it ended.',
  },
  durationMs: { type: ['integer', 'null'], minimum: 0, description: 'Null where it never ran to an end.' },
  errorCode: optional('Why it did not complete.'),
});
const executionExample = {
  executionId: 'execution_01k0d9v0pe4x2h5n6q7r8s9t0v',
  functionId: functionExample.functionId,
  functionVersion: 1,
  status: 'completed',
  durationMs: 12,
  errorCode: null,
};

const request = {
  requestId: text('Id of the request.'),
  callerId: text('Who asked: the id of an API key, or issuer and subject of a token.'),
  executionId: optional('The execution whose code asked. Null: a caller outside did.'),
} as const;
const requestExample = {
  requestId: 'request_01k0d9v0pe4x2h5n6q7r8s9t0v',
  callerId: 'key_01k0d9v0pe4x2h5n6q7r8s9t0v',
  executionId: null,
};
const model = text('The model that answered.');
const tokens = {
  promptTokens: count('Tokens of what was asked.'),
  completionTokens: count('Tokens of the answer.'),
  totalTokens: count('Both together.'),
} as const;
const tokensExample = { promptTokens: 20, completionTokens: 10, totalTokens: 30 };
const attempts = {
  type: 'array',
  description: 'The models that were asked without success, in order.',
  items: {
    type: 'object',
    properties: { model: text('The model.'), code: text('What came of it: a code out of the table of errors.') },
    required: ['model', 'code'],
  },
} as const;
const attemptsExample = [{ model: 'openai/gpt-5', code: 'provider_timeout' }];

const answered = (idName: string, summary: string, prefix: string): EventKind => ({
  summary,
  data: data({ [idName]: text('Id of the answer.'), ...request, model, ...tokens }),
  example: {
    [idName]: `${prefix}_01k0d9v0pe4x2h5n6q7r8s9t0v`,
    ...requestExample,
    model: 'openai/gpt-5',
    ...tokensExample,
  },
});

const keyId = text('Id of the key.');
const webhookId = text('Id of the webhook.');

/** Every event type that webhooks can subscribe to. Types are part of the public interface: added, never renamed. */
export const eventKinds = {
  'function.created': { summary: 'A function was created.', data: stored, example: functionExample },
  'function.updated': {
    summary: 'A function was replaced, or an old version of it restored.',
    data: stored,
    example: { ...functionExample, version: 2 },
  },
  'function.deleted': {
    summary: 'A function was deleted, with its versions and settings.',
    data: data({ functionId }),
    example: { functionId: functionExample.functionId },
  },
  'function.settings.updated': {
    summary: 'The settings of a function were written or deleted, or a label of them was moved.',
    data: data({
      functionId,
      deleted: { type: 'boolean', description: 'Whether the function has no settings any more.' },
      version: { type: ['integer', 'null'], minimum: 1, description: 'The version that has the label now.' },
      label: optional('The label, such as `production`.'),
    }),
    example: { functionId: functionExample.functionId, deleted: false, version: 3, label: 'production' },
  },
  'execution.completed': { summary: 'An execution completed.', data: execution, example: executionExample },
  'execution.failed': {
    summary: 'An execution ended in another way: it failed, ran out of time, was cancelled, or its server went away.',
    data: execution,
    example: { ...executionExample, status: 'timed_out', durationMs: 10_000, errorCode: 'wall_limit' },
  },
  'generation.completed': answered('generationId', 'A model generated a text, or an object for a call.', 'generation'),
  'chat.completed': answered('chatId', 'A model answered in a chat.', 'chat'),
  'embedding.completed': {
    summary: 'A model made an embedding.',
    data: data({ embeddingId: text('Id of the answer.'), ...request, model, tokens: count('Tokens of the text.') }),
    example: {
      embeddingId: 'embedding_01k0d9v0pe4x2h5n6q7r8s9t0v',
      ...requestExample,
      model: 'openai/text-embedding-3-small',
      tokens: 5,
    },
  },
  'function_call.completed': answered('functionCallId', 'A model chose a function to call.', 'function_call'),
  'gateway.failed': {
    summary: 'A request that models were asked for was not answered.',
    data: data({
      ...request,
      operation: {
        type: 'string',
        enum: gatewayOperations,
        description: 'What was asked for.',
      },
      errorCode: text('Error code that the caller received.'),
      attempts,
    }),
    example: { ...requestExample, operation: 'chat', errorCode: 'provider_timeout', attempts: attemptsExample },
  },
  'model.fallback': {
    summary: 'A model answered after others had failed.',
    data: data({ ...request, model, attempts }),
    example: { ...requestExample, model: 'anthropic/claude-sonnet-4-5', attempts: attemptsExample },
  },
  'key.created': {
    summary: 'An API key was made.',
    data: data({
      keyId,
      name: text('What it is for.'),
      scopes: { type: 'array', items: { type: 'string' }, description: 'What it may do.' },
      expiresAt: optional('When it ends.'),
    }),
    example: { keyId: requestExample.callerId, name: 'Deployments', scopes: ['functions:read'], expiresAt: null },
  },
  'key.revoked': {
    summary: 'An API key was revoked.',
    data: data({ keyId }),
    example: { keyId: requestExample.callerId },
  },
  'webhook.disabled': {
    summary: 'The server disabled a webhook. Sent to the other webhooks of the tenant.',
    data: data({
      webhookId,
      reason: {
        type: 'string',
        enum: disabledReasons,
        description: '`gone`: it answered 410. `failing`: every attempt failed for five days.',
      },
    }),
    example: { webhookId: 'webhook_01k0d9v0pe4x2h5n6q7r8s9t0v', reason: 'failing' },
  },
  'webhook.test': {
    summary: 'A test was requested. Sent to that webhook only, whatever kinds it asks for.',
    data: data({ webhookId }),
    example: { webhookId: 'webhook_01k0d9v0pe4x2h5n6q7r8s9t0v' },
  },
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
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened. UTC, with milliseconds.' },
      data: eventKinds[kind].data,
    },
    required: ['type', 'timestamp', 'data'],
  } as const;
}
