import type { JsonObject } from '@patchbay/core/plugin';
import type { Usage } from '@patchbay/core/provider';
import { type CompleteAnswer, piecesOf } from '../upstream-answer.ts';
import type { UpstreamRequest } from '../upstream-request.ts';
import { anthropicRequestFault } from './anthropic-request-fault.ts';
import { type AnswerStream, type Dialect, member } from './dialect.ts';

/** The Messages API of Anthropic, version 2023-06-01. */
export const anthropic: Dialect = {
  basePath: '',
  streamFormat: 'events',
  lineEnd: '\n',
  requestIdHeader: 'request-id',

  refuse(request) {
    const refused = (status: number, message: string) => ({ status, body: anthropic.error(status, message) });
    const isCount = countsTokens(request);
    if ((!isCount && request.path.split('?')[0] !== '/v1/messages') || request.method !== 'POST')
      return refused(404, 'Not found');
    const { 'x-api-key': key, authorization, 'anthropic-version': version } = request.headers;
    if (!key && !authorization) return refused(401, 'x-api-key header is required');
    if (!version) return refused(400, 'anthropic-version: header is required');
    for (const name of ['model', 'messages', ...(isCount ? [] : ['max_tokens'])]) {
      if (member(request, name) === undefined) return refused(400, `${name}: Field required`);
    }
    const fault = anthropicRequestFault(request);
    return fault === undefined ? undefined : refused(400, fault);
  },

  answer(request, answer) {
    if (countsTokens(request)) return { input_tokens: answer.usage?.uncachedInputTokens ?? 0 };
    return member(request, 'stream') === true ? events(request, answer) : message(request, answer);
  },

  error(status, text) {
    return { type: 'error', error: { type: errorType(status), message: text }, request_id: 'req_upstream' };
  },

  refusal(cause) {
    const text = {
      context_length: 'prompt is too long: 200001 tokens > 200000 maximum',
      content_filter: 'Output blocked by content filtering policy',
      unsupported: '`temperature` is not supported for this model.',
    }[cause];
    return { status: 400, body: anthropic.error(400, text) };
  },

  errorEvent(text) {
    return named({ type: 'error', error: { type: 'overloaded_error', message: text } });
  },
};

const countsTokens = ({ path }: UpstreamRequest): boolean => path.split('?')[0] === '/v1/messages/count_tokens';

function message(request: UpstreamRequest, answer: CompleteAnswer): JsonObject {
  return {
    ...envelope(request),
    content: blocks(answer).map((block) => block.whole),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    ...(answer.usage ? { usage: usage(answer.usage, answer.usage.outputTokens) } : {}),
  };
}

function events(request: UpstreamRequest, answer: CompleteAnswer): AnswerStream {
  const pieces = blocks(answer).flatMap((block, index) => [
    named({ type: 'content_block_start', index, content_block: block.start }),
    ...block.deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
    named({ type: 'content_block_stop', index }),
  ]);
  const start = {
    ...envelope(request),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(answer.usage ? { usage: usage(answer.usage, 1) } : {}),
  };
  const delta = { stop_reason: stopReason(answer), stop_sequence: null };
  const total = answer.usage ? { usage: usage(answer.usage, answer.usage.outputTokens) } : {};
  return {
    opening: [named({ type: 'message_start', message: start }), named({ type: 'ping' })],
    pieces,
    ending: [named({ type: 'message_delta', delta, ...total })],
    terminator: named({ type: 'message_stop' }),
  };
}

interface Block {
  readonly whole: JsonObject;
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
}

function blocks(answer: CompleteAnswer): Block[] {
  const text: Block[] =
    answer.text === ''
      ? []
      : [
          {
            whole: { type: 'text', text: answer.text },
            start: { type: 'text', text: '' },
            deltas: piecesOf(answer.text).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ];
  const calls = answer.toolCalls.map((call, index): Block => {
    const name = { type: 'tool_use', id: `toolu_${index + 1}`, name: call.name };
    const json = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const middle = Math.ceil(json.length / 2);
    return {
      whole: { ...name, input: call.arguments },
      start: { ...name, input: {} },
      deltas: ['', json.slice(0, middle), json.slice(middle)].map((piece) => ({
        type: 'input_json_delta',
        partial_json: piece,
      })),
    };
  });
  return [...reasoning(answer), ...text, ...calls];
}

/** Reasoning that is encrypted comes in a separate block, whole. */
function reasoning({ reasoning: thought }: CompleteAnswer): Block[] {
  if (thought === undefined) return [];
  const { text = '', signature = '', encrypted } = thought;
  const blocksOf: Block[] = [];
  if (text !== '' || signature !== '') {
    blocksOf.push({
      whole: { type: 'thinking', thinking: text, signature },
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...piecesOf(text).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        { type: 'signature_delta', signature },
      ],
    });
  }
  const redacted = encrypted !== undefined && { type: 'redacted_thinking', data: encrypted };
  return redacted ? [...blocksOf, { whole: redacted, start: redacted, deltas: [] }] : blocksOf;
}

function envelope(request: UpstreamRequest): JsonObject {
  return {
    id: `msg_${request.connection}`,
    type: 'message',
    role: 'assistant',
    model: member(request, 'model') ?? null,
  };
}

function stopReason(answer: CompleteAnswer): string {
  return answer.finishReason ?? (answer.toolCalls.length > 0 ? 'tool_use' : 'end_turn');
}

function usage(tokens: Usage, outputTokens: number): JsonObject {
  return {
    input_tokens: tokens.uncachedInputTokens,
    cache_creation_input_tokens: tokens.cacheWriteTokens,
    cache_read_input_tokens: tokens.cacheReadTokens,
    cache_creation: { ephemeral_5m_input_tokens: tokens.cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: tokens.reasoningTokens > 0 ? { thinking_tokens: tokens.reasoningTokens } : null,
    service_tier: 'standard',
  };
}

function named(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}`;
}

function errorType(status: number): string {
  const types: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    504: 'timeout_error',
    529: 'overloaded_error',
  };
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}
