import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@patchbay/core/plugin';
import { fieldsOf, listOf, type Usage } from '@patchbay/core/provider';
import { type CompleteAnswer, piecesOf } from '../upstream-answer.ts';
import type { UpstreamRequest } from '../upstream-request.ts';
import { type AnswerStream, type Dialect, member, objectsIn } from './dialect.ts';
import { openaiChat } from './openai.ts';
import { responsesRequestFault } from './responses-request-fault.ts';

/** Responses and embeddings of the OpenAI API, version 1. */
export const openaiResponses: Dialect = {
  ...openaiChat,

  refuse(request) {
    if (request.path === '/v1/embeddings') return openaiChat.refuse(request);
    const refused = (status: number, message: string) => ({ status, body: openaiChat.error(status, message) });
    if (!request.headers['authorization']?.startsWith('Bearer '))
      return refused(401, 'You did not provide an API key.');
    const isCompaction = request.path === compaction;
    if ((!isCompaction && request.path !== '/v1/responses') || request.method !== 'POST')
      return refused(404, `Invalid URL (${request.method} ${request.path})`);
    for (const name of ['model', 'input']) {
      if (member(request, name) === undefined) return refused(400, `Missing required parameter: '${name}'.`);
    }
    const fault = responsesRequestFault(request);
    return fault === undefined ? undefined : refused(400, fault);
  },

  answer(request, answer) {
    if (request.path === '/v1/embeddings') return openaiChat.answer(request, answer);
    if (request.path === compaction) return compacted(request, answer);
    return member(request, 'stream') === true ? events(request, answer) : response(request, answer);
  },

  errorEvent(message) {
    return named({ type: 'error', code: 'server_error', message, param: null });
  },
};

const compaction = '/v1/responses/compact';

/** The user messages, and everything else in a form that only the vendor reads. */
function compacted(request: UpstreamRequest, { usage: tokens }: CompleteAnswer): JsonObject {
  const said = objectsIn(member(request, 'input')).filter(({ role }) => role === 'user');
  return {
    id: idOf(request, 'resp'),
    object: 'response.compaction',
    created_at: CREATED_AT,
    output: [
      ...(said as JsonObject[]),
      { id: idOf(request, 'cmp'), type: 'compaction', encrypted_content: 'Y29tcGFjdGVk' },
    ],
    ...(tokens ? { usage: usage(tokens) } : {}),
  };
}

function response(request: UpstreamRequest, answer: CompleteAnswer): JsonObject {
  // In the vendor's words: why the response is not complete.
  const incomplete = answer.finishReason === undefined ? null : { reason: answer.finishReason };
  return {
    ...envelope(request),
    status: statusOf(answer),
    completed_at: incomplete === null ? CREATED_AT : null,
    incomplete_details: incomplete,
    output: items(request, answer).map(({ whole }) => whole),
    ...(answer.usage ? { usage: usage(answer.usage) } : {}),
  };
}

function statusOf({ finishReason }: CompleteAnswer): string {
  return finishReason === undefined ? 'completed' : 'incomplete';
}

function events(request: UpstreamRequest, answer: CompleteAnswer): AnswerStream {
  const begun = {
    ...envelope(request),
    status: 'in_progress',
    completed_at: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const end = response(request, answer);
  let sequence = 0;
  const event = (data: JsonObject & { readonly type: string }) => named({ ...data, sequence_number: sequence++ });
  return {
    opening: [
      event({ type: 'response.created', response: begun }),
      event({ type: 'response.in_progress', response: begun }),
    ],
    pieces: items(request, answer).flatMap((item, index) => [
      event({ type: 'response.output_item.added', output_index: index, item: item.begun }),
      ...item.deltas.map((delta) => event({ ...delta, output_index: index })),
      event({ type: 'response.output_item.done', output_index: index, item: item.whole }),
    ]),
    ending: [event({ type: `response.${statusOf(answer)}`, response: end })],
  };
}

interface Item {
  readonly begun: JsonObject;
  readonly deltas: readonly (JsonObject & { readonly type: string })[];
  readonly whole: JsonObject;
}

function items(request: UpstreamRequest, answer: CompleteAnswer): Item[] {
  const hasReasoned = answer.reasoning !== undefined || (answer.usage?.reasoningTokens ?? 0) > 0;
  const isMessage = answer.text !== '' || answer.refusal !== '';
  return [
    ...(hasReasoned ? [reasoningItem(request, answer)] : []),
    ...(isMessage ? [messageItem(request, answer)] : []),
    ...answer.toolCalls.map((call, index) => callItem(request, call, index)),
  ];
}

/** The encrypted form is returned only on request. */
function reasoningItem(request: UpstreamRequest, { reasoning }: CompleteAnswer): Item {
  const included = listOf(member(request, 'include')) ?? [];
  const encrypted = included.includes('reasoning.encrypted_content') && reasoning?.encrypted;
  const item = { id: idOf(request, 'rs'), type: 'reasoning', ...(encrypted ? { encrypted_content: encrypted } : {}) };
  const text = reasoning?.text ?? '';
  if (text === '') return { begun: { ...item, summary: [] }, deltas: [], whole: { ...item, summary: [] } };
  const at = { item_id: item.id, summary_index: 0 };
  const part = (of: string) => ({ type: 'summary_text', text: of });
  return {
    begun: { ...item, summary: [] },
    deltas: [
      { type: 'response.reasoning_summary_part.added', ...at, part: part('') },
      ...piecesOf(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part: part(text) },
    ],
    whole: { ...item, summary: [part(text)] },
  };
}

function messageItem(request: UpstreamRequest, { text, refusal }: CompleteAnswer): Item {
  const message = { id: idOf(request, 'msg'), type: 'message', role: 'assistant' };
  const said = [...(refusal === '' ? [] : [refusalPart(refusal)]), ...(text === '' ? [] : [textPart(text)])];
  return {
    begun: { ...message, status: 'in_progress', content: [] },
    deltas: said.flatMap(({ empty, whole, name, value }, index) => {
      const at = { item_id: message.id, content_index: index };
      const more = name === 'output_text' ? { logprobs: [] } : {};
      const done = name === 'output_text' ? { text: value } : { refusal: value };
      return [
        { type: 'response.content_part.added', ...at, part: empty },
        ...piecesOf(value).map((delta) => ({ type: `response.${name}.delta`, ...at, delta, ...more })),
        { type: `response.${name}.done`, ...at, ...done, ...more },
        { type: 'response.content_part.done', ...at, part: whole },
      ];
    }),
    whole: { ...message, status: 'completed', content: said.map(({ whole }) => whole) },
  };
}

interface MessagePart {
  readonly name: 'output_text' | 'refusal';
  readonly value: string;
  readonly empty: JsonObject;
  readonly whole: JsonObject;
}

function textPart(value: string): MessagePart {
  const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
  return { name: 'output_text', value, empty: part(''), whole: part(value) };
}

function refusalPart(value: string): MessagePart {
  const part = (refusal: string) => ({ type: 'refusal', refusal });
  return { name: 'refusal', value, empty: part(''), whole: part(value) };
}

function callItem(request: UpstreamRequest, call: CompleteAnswer['toolCalls'][number], index: number): Item {
  const json = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const middle = Math.ceil(json.length / 2);
  const id = idOf(request, `fc_${index + 1}`);
  const item = { id, type: 'function_call', call_id: `call_${index + 1}`, name: call.name };
  const delta = (piece: string) => ({
    type: 'response.function_call_arguments.delta',
    item_id: item.id,
    delta: piece,
  });
  return {
    begun: { ...item, status: 'in_progress', arguments: '' },
    deltas: [
      delta(json.slice(0, middle)),
      delta(json.slice(middle)),
      { type: 'response.function_call_arguments.done', item_id: item.id, name: call.name, arguments: json },
    ],
    whole: { ...item, status: 'completed', arguments: json },
  };
}

/** A different one for each request: clients refer to returned items by their ids. */
function idOf({ body }: UpstreamRequest, prefix: string): string {
  return `${prefix}_${createHash('sha256').update(body).digest('hex').slice(0, 32)}`;
}

/** Every member, as OpenAI sends them: with defaults for what the request omits. */
function envelope(request: UpstreamRequest): JsonObject {
  const given = (name: string, otherwise: JsonValue = null): JsonValue => member(request, name) ?? otherwise;
  return {
    id: idOf(request, 'resp'),
    object: 'response',
    created_at: CREATED_AT,
    background: false,
    error: null,
    frequency_penalty: 0,
    instructions: given('instructions'),
    max_output_tokens: given('max_output_tokens'),
    max_tool_calls: given('max_tool_calls'),
    metadata: given('metadata', {}),
    model: given('model'),
    parallel_tool_calls: given('parallel_tool_calls', true),
    presence_penalty: 0,
    previous_response_id: given('previous_response_id'),
    prompt_cache_key: given('prompt_cache_key'),
    reasoning: { effort: null, summary: null, ...(fieldsOf(member(request, 'reasoning')) as JsonObject) },
    safety_identifier: given('safety_identifier'),
    service_tier: 'default',
    store: given('store', true),
    temperature: given('temperature', 1),
    text: { format: { type: 'text' }, verbosity: 'medium', ...(fieldsOf(member(request, 'text')) as JsonObject) },
    tool_choice: given('tool_choice', 'auto'),
    tools: objectsIn(member(request, 'tools')).map((tool) => ({ strict: true, ...tool }) as JsonObject),
    top_logprobs: 0,
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
  };
}

const CREATED_AT = 1_760_000_000;

function usage(tokens: Usage): JsonObject {
  const input = tokens.uncachedInputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: tokens.cacheReadTokens, cache_write_tokens: tokens.cacheWriteTokens },
    output_tokens: tokens.outputTokens,
    output_tokens_details: { reasoning_tokens: tokens.reasoningTokens },
    total_tokens: input + tokens.outputTokens,
  };
}

function named(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}`;
}
