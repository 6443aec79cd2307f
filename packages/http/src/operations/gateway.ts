import type { App } from '@patchbay/core';
import { bodyOf, defineOperation } from '../operation.ts';
import { eventStream, eventStreamType, type Reply, type StreamEvent } from '../output/wire.ts';

/** Error codes of operations that ask models, including those that execute a function, which may have no code. */
export const modelErrors = [
  'model_not_found',
  'model_capability_mismatch',
  'unsupported_parameter',
  'context_length_exceeded',
  'content_filtered',
  'provider_error',
  'provider_bad_response',
  'provider_auth_failed',
  'provider_rate_limited',
  'no_provider_available',
  'provider_not_configured',
  'provider_timeout',
  'quota_exceeded',
] as const;

type Gateway = App['services']['gateway'];
type Input<N extends 'generate' | 'chat' | 'embed' | 'generateFunctionCall'> = Parameters<Gateway[N]>[0];
interface Streamable {
  readonly stream?: boolean;
}

/** The events of a stream, by the fields of its `delta` events. */
const eventsWith = (delta: string): string =>
  `\`start\` with \`id\`, \`model\` and \`createdAt\`; \`delta\` with ${delta}; \`done\` with the whole object that a ` +
  'response without streaming has. A failure after the start is an `error` event with the problem document. A stream ' +
  'that ends without `done` has failed.';
const completionEvents = eventsWith('`text`, the next piece of the completion');
const functionCallEvents = eventsWith(
  '`text`, the next piece of the JSON text of the arguments; `restart` with `detail` where the arguments so far are void, ' +
    'because they did not fit the parameters and the model is asked again',
);
const LIMIT_BYTES = 4 * 1_048_576;

const base = {
  method: 'POST',
  area: 'gateway',
  scope: 'gateway:invoke',
  limit: 'model',
  isModelCall: async () => true,
} as const;

function answer<A extends { readonly route: string }>(result: A, toJson: (result: A) => unknown): Reply {
  return { json: toJson(result), headers: { 'Patchbay-Route': result.route } };
}

interface Streamed<A> {
  readonly id: string;
  readonly model: string;
  readonly createdAt: string;
  readonly route: string;
  readonly events: AsyncIterable<Piece<A>>;
}

type Piece<A> = { readonly delta: string } | { readonly restart: string } | { readonly done: A };

function streamed<A>(result: Streamed<A>, toJson: (result: A) => unknown): Reply {
  const { id, model, createdAt, route, events } = result;
  const toEvent = (event: Piece<A>): StreamEvent => {
    if ('delta' in event) return { event: 'delta', data: { text: event.delta } };
    if ('restart' in event) return { event: 'restart', data: { detail: event.restart } };
    return { event: 'done', data: toJson(event.done) };
  };
  const start: StreamEvent = { event: 'start', data: { id, model, createdAt } };
  const stream = eventStream(start, events, toEvent);
  return { stream, mediaType: eventStreamType, headers: { 'Patchbay-Route': route } };
}

const generate = defineOperation({
  ...base,
  id: 'generate',
  path: '/generate',
  summary: 'Generate text',
  description:
    'Completes a prompt with the named model, or with one that the server chooses. `stream: true` sends the text as ' +
    'server-sent events while the model writes it. `Patchbay-Route` tells which model answered and why.',
  body: bodyOf<Input<'generate'> & Streamable>({ schema: 'GenerateRequest', limitBytes: LIMIT_BYTES }),
  success: {
    status: 200,
    description: 'The text.',
    schema: 'Generation',
    headers: ['Patchbay-Route'],
    streams: completionEvents,
  },
  errors: modelErrors,
  async handle({ body: { stream, ...input }, context }, { services: { gateway } }) {
    if (!stream) return answer(await gateway.generate(input, context), generationJson);
    return streamed(await gateway.streamGenerate(input, context), generationJson);
  },
});

const chat = defineOperation({
  ...base,
  id: 'chat',
  path: '/chat',
  summary: 'Continue a conversation',
  description:
    'Sends the messages to the named model, or to one that the server chooses, and returns its next message. The server ' +
    'keeps no conversation: each request has all messages. `stream: true` sends the text as server-sent events.',
  body: bodyOf<Input<'chat'> & Streamable>({ schema: 'ChatRequest', limitBytes: LIMIT_BYTES }),
  success: {
    status: 200,
    description: 'The answer.',
    schema: 'Chat',
    headers: ['Patchbay-Route'],
    streams: completionEvents,
  },
  errors: modelErrors,
  async handle({ body: { stream, ...input }, context }, { services: { gateway } }) {
    if (!stream) return answer(await gateway.chat(input, context), chatJson);
    return streamed(await gateway.streamChat(input, context), chatJson);
  },
});

const embeddings = defineOperation({
  ...base,
  id: 'embed',
  path: '/embeddings',
  summary: 'Make an embedding',
  description:
    'Turns a text into a vector. Vectors of different models cannot be compared: name the model that made those you store.',
  body: bodyOf<Input<'embed'>>({ schema: 'EmbeddingRequest', limitBytes: LIMIT_BYTES }),
  success: { status: 200, description: 'The vector.', schema: 'Embedding', headers: ['Patchbay-Route'] },
  errors: modelErrors,
  async handle({ body, context }, { services: { gateway } }) {
    return answer(await gateway.embed(body, context), embeddingJson);
  },
});

const functionCalling = defineOperation({
  ...base,
  id: 'generateFunctionCall',
  path: '/function-calling',
  summary: 'Let a model choose a function and its arguments',
  description:
    'The function is not executed: the answer says which one to call, with arguments that fit its parameters.',
  body: bodyOf<Input<'generateFunctionCall'> & Streamable>({ schema: 'FunctionCallRequest', limitBytes: LIMIT_BYTES }),
  success: {
    status: 200,
    description: 'The call.',
    schema: 'FunctionCall',
    headers: ['Patchbay-Route'],
    streams: functionCallEvents,
  },
  errors: [...modelErrors, 'schema_invalid', 'function_call_invalid'],
  async handle({ body: { stream, ...input }, context }, { services: { gateway } }) {
    if (!stream) return answer(await gateway.generateFunctionCall(input, context), functionCallJson);
    return streamed(await gateway.streamFunctionCall(input, context), functionCallJson);
  },
});

export const gatewayOperations = [generate, chat, embeddings, functionCalling];

type Generation = Awaited<ReturnType<Gateway['generate']>>;
type Chat = Awaited<ReturnType<Gateway['chat']>>;
type Embedding = Awaited<ReturnType<Gateway['embed']>>;
type FunctionCall = Awaited<ReturnType<Gateway['generateFunctionCall']>>;
type Model = ReturnType<Gateway['model']>;

// A field without a value is left out; the order is that of the specification, extensions last.

function generationJson(answer: Generation) {
  const { id, text, model, promptTokens, completionTokens, totalTokens, createdAt, finishReason } = answer;
  const fields = { id, text, model, promptTokens, completionTokens, totalTokens, createdAt, finishReason };
  return { ...fields, ...warningsJson(answer) };
}

function chatJson(answer: Chat) {
  const { id, message, model, promptTokens, completionTokens, totalTokens, createdAt, finishReason } = answer;
  const { role, content } = message;
  const fields = { id, message: { role, content }, model, promptTokens, completionTokens, totalTokens, createdAt };
  return { ...fields, finishReason, ...warningsJson(answer) };
}

function embeddingJson(answer: Embedding) {
  const { id, embedding, model, tokens, createdAt } = answer;
  return { id, embedding, model, tokens, createdAt, ...warningsJson(answer) };
}

function functionCallJson(answer: FunctionCall) {
  const { id, functionCall, model, promptTokens, completionTokens, totalTokens, createdAt } = answer;
  return { id, functionCall, model, promptTokens, completionTokens, totalTokens, createdAt, ...warningsJson(answer) };
}

export function modelSummaryJson({ id, provider, info }: Model) {
  const { name, capabilities, maxTokens, contextWindow, dimensions } = info;
  return { id, provider, name, capabilities, maxTokens, contextWindow, dimensions };
}

export function modelJson(model: Model) {
  const { pricing } = model.info;
  return {
    ...modelSummaryJson(model),
    pricing: pricing && { ...pricing, currency: 'USD', unit: '1M tokens' },
    createdAt: model.createdAt,
  };
}

function warningsJson({ warnings }: { readonly warnings: readonly string[] }) {
  return warnings.length > 0 ? { warnings } : {};
}
