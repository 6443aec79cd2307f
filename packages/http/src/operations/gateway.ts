import type { App } from '@patchbay/core';
import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import { eventStream, eventStreamType, type Reply, type StreamEvent, type TextEvents } from '../output/wire.ts';
import type { SchemaName } from '../schemas/components.ts';
import { functionChatErrors } from './function-errors.ts';

/** Error codes of operations that call models, including executions, because a function may be backed by a model. */
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

/** Error codes of operations whose models may call tools of mounted servers. */
const toolErrors = ['tool_not_found', 'tool_unavailable'] as const;

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
const resumed = '; `resumed` with `model` and `route` where that model continues the text of one that failed';
const completionEvents = eventsWith(`\`text\`, the next piece of the completion${resumed}`);
const messageEvents = eventsWith(
  'one of `text`, the next piece of the completion; `refusal` or `reasoning`, likewise; `toolCall` with `id`, `name` and ' +
    '`arguments`, the next piece of the JSON text of the arguments of that call; with `toolLoop` also `toolResult` with `id`, ' +
    '`name`, `content` and `isError` of a tool that the server called, before the pieces of the next message' +
    resumed,
);
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

type ViewAnswer = (answer: { readonly warnings: readonly string[] }) => object;

/** Shows a response by its schema. Without warnings, the member is left out. */
function answerView(schema: SchemaName): ViewAnswer {
  const view = viewOf(schema);
  return (answer) => view(answer.warnings.length > 0 ? answer : { ...answer, warnings: undefined });
}

const views = {
  generate: answerView('Generation'),
  chat: answerView('Chat'),
  embed: answerView('Embedding'),
  functionCall: answerView('FunctionCall'),
};

type GatewayAnswer = Awaited<ReturnType<Gateway['generate' | 'chat' | 'embed' | 'generateFunctionCall']>>;
type StreamedAnswer = Awaited<ReturnType<Gateway['streamGenerate' | 'streamChat' | 'streamFunctionCall']>>;

function whole(answer: GatewayAnswer, view: ViewAnswer): Reply {
  return { json: view(answer), headers: { 'Patchbay-Call': answer.id, 'Patchbay-Route': answer.route } };
}

function streamed({ id, model, createdAt, route, events }: StreamedAnswer, view: ViewAnswer): Reply {
  const start: StreamEvent = { event: 'start', data: { id, model, createdAt } };
  const stream = eventStream<EventOf<typeof events>>(start, events, (event) => {
    if ('delta' in event) return textEvents('text', event.delta, event.pieces);
    if ('reasoning' in event) return textEvents('reasoning', event.reasoning, event.pieces);
    if ('restart' in event) return { event: 'restart', data: { detail: event.restart } };
    if ('resumed' in event) return { event: 'resumed', data: event.resumed };
    if ('toolResult' in event) return { event: 'delta', data: event };
    if ('done' in event) return { event: 'done', data: view(event.done) };
    // The proof of reasoning is for callers who send it back: it is in the message of `done`.
    return 'reasoningEnd' in event ? undefined : { event: 'delta', data: event };
  });
  return { stream, mediaType: eventStreamType, headers: { 'Patchbay-Call': id, 'Patchbay-Route': route } };
}

function textEvents(member: string, text: string, texts: readonly string[] | undefined): StreamEvent | TextEvents {
  return texts ? { event: 'delta', member, texts } : { event: 'delta', data: { [member]: text } };
}

type EventOf<Events> = Events extends AsyncIterable<infer Event> ? Event : never;

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
    headers: ['Patchbay-Call', 'Patchbay-Route'],
    streams: completionEvents,
  },
  errors: modelErrors,
  async handle({ body: { stream, ...input }, context }, { services: { gateway } }) {
    if (!stream) return whole(await gateway.generate(input, context), views.generate);
    return streamed(await gateway.streamGenerate(input, context), views.generate);
  },
});

const chat = defineOperation({
  ...base,
  id: 'chat',
  path: '/chat',
  summary: 'Continue a conversation',
  description:
    'Sends the messages to the named model, or to one that the server chooses, and returns its next message. The server ' +
    'keeps no conversation: each request has all messages. With `tools`, the message may call them: send it back with ' +
    'their results as messages of role `tool`. With `toolLoop`, the server itself calls the tools of mounted servers that are ' +
    'named, for callers with the scope `tools:call` as well. `stream: true` sends the message as server-sent events. The model `fn/<name>` ' +
    'is the stored function of this name, for callers with the scope `functions:execute` as well.',
  body: bodyOf<Input<'chat'> & Streamable>({ schema: 'ChatRequest', limitBytes: LIMIT_BYTES }),
  success: {
    status: 200,
    description: 'The answer.',
    schema: 'Chat',
    headers: ['Patchbay-Call', 'Patchbay-Route'],
    streams: messageEvents,
  },
  errors: [...modelErrors, ...functionChatErrors, ...toolErrors, 'schema_invalid', 'function_call_invalid'],
  isExecution: ({ body }, { services: { gateway } }) => gateway.executes(body.model),
  async handle({ body: { stream, ...input }, context }, { services: { gateway } }) {
    if (!stream) return whole(await gateway.chat(input, context), views.chat);
    return streamed(await gateway.streamChat(input, context), views.chat);
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
  success: {
    status: 200,
    description: 'The vector.',
    schema: 'Embedding',
    headers: ['Patchbay-Call', 'Patchbay-Route'],
  },
  errors: modelErrors,
  async handle({ body, context }, { services: { gateway } }) {
    return whole(await gateway.embed(body, context), views.embed);
  },
});

const functionCalling = defineOperation({
  ...base,
  id: 'generateFunctionCall',
  path: '/function-calling',
  summary: 'Let a model choose a function and its arguments',
  description:
    'The function is not executed: the answer says which one to call, with arguments that fit its parameters. With `toolLoop`, ' +
    'the model may have the server call tools of mounted servers first, which are named among the functions.',
  body: bodyOf<Input<'generateFunctionCall'> & Streamable>({ schema: 'FunctionCallRequest', limitBytes: LIMIT_BYTES }),
  success: {
    status: 200,
    description: 'The call.',
    schema: 'FunctionCall',
    headers: ['Patchbay-Call', 'Patchbay-Route'],
    streams: functionCallEvents,
  },
  errors: [...modelErrors, ...toolErrors, 'schema_invalid', 'function_call_invalid'],
  async handle({ body: { stream, ...input }, context }, { services: { gateway } }) {
    if (!stream) return whole(await gateway.generateFunctionCall(input, context), views.functionCall);
    return streamed(await gateway.streamFunctionCall(input, context), views.functionCall);
  },
});

export const gatewayOperations = [generate, chat, embeddings, functionCalling];

type Model = ReturnType<Gateway['model']>;

const viewSummary = viewOf('ModelSummary');
const viewModel = viewOf('Model');

export function modelSummaryJson({ id, provider, info }: Model): object {
  return viewSummary({ ...info, id, provider });
}

export function modelJson(model: Model): object {
  const { id, provider, info, createdAt } = model;
  return viewModel({ ...info, id, provider, pricing: pricingJson(model), createdAt });
}

export function pricingJson({ info }: Model): object | undefined {
  return info.pricing && { ...info.pricing, currency: 'USD', unit: '1M tokens' };
}
