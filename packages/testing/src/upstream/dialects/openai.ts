import type { JsonObject, JsonValue } from '@patchbay/core/plugin';
import type { Usage } from '@patchbay/core/provider';
import { type CompleteAnswer, eventsOfCalls, piecesOf, vectorsOf } from '../upstream-answer.ts';
import type { UpstreamRequest } from '../upstream-request.ts';
import { type AnswerStream, type Dialect, member } from './dialect.ts';
import { openaiRequestFault } from './openai-request-fault.ts';

/** Chat completions and embeddings of the OpenAI API, version 1. */
export const openaiChat: Dialect = {
  basePath: '/v1',
  streamFormat: 'events',
  lineEnd: '\n',
  requestIdHeader: 'x-request-id',

  refuse(request) {
    const refused = (status: number, message: string) => ({ status, body: openaiChat.error(status, message) });
    if (!request.headers['authorization']?.startsWith('Bearer '))
      return refused(401, 'You did not provide an API key.');
    const needed = { '/v1/chat/completions': 'messages', '/v1/embeddings': 'input' }[request.path];
    if (!needed || request.method !== 'POST') return refused(404, `Invalid URL (${request.method} ${request.path})`);
    if (typeof member(request, 'model') !== 'string') return refused(400, 'you must provide a model parameter');
    if (member(request, needed) === undefined) return refused(400, `Missing required parameter: '${needed}'.`);
    const fault = openaiRequestFault(request);
    return fault === undefined ? undefined : refused(400, fault);
  },

  answer(request, answer) {
    if (request.path === '/v1/embeddings') return embeddings(request, answer);
    return member(request, 'stream') === true ? chunks(request, answer) : completion(request, answer);
  },

  error(status, message) {
    return { error: { message, type: errorType(status), param: null, code: errorCode(status) } };
  },

  refusal(cause) {
    const { message, param, code } = refusals[cause];
    return { status: 400, body: { error: { message, type: 'invalid_request_error', param, code } } };
  },

  errorEvent(message) {
    return `data: ${JSON.stringify({ error: { message, type: 'server_error', param: null, code: null } })}`;
  },
};

const refusals = {
  context_length: {
    message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    param: 'messages',
    code: 'context_length_exceeded',
  },
  content_filter: {
    message: 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
    param: null,
    code: 'content_policy_violation',
  },
  unsupported: {
    message: "Unsupported parameter: 'top_p' is not supported with this model.",
    param: 'top_p',
    code: 'unsupported_parameter',
  },
} as const;

function completion(request: UpstreamRequest, answer: CompleteAnswer): JsonObject {
  const message = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    refusal: answer.refusal === '' ? null : answer.refusal,
    annotations: [],
    ...(answer.toolCalls.length > 0 ? { tool_calls: toolCalls(answer) } : {}),
  };
  return {
    ...envelope(request, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    ...(answer.usage ? { usage: usage(answer.usage) } : {}),
  };
}

function chunks(request: UpstreamRequest, answer: CompleteAnswer): AnswerStream {
  const options = member(request, 'stream_options') as { include_usage?: boolean } | undefined;
  const withUsage = options?.include_usage === true && answer.usage !== null;
  const event = (choices: JsonValue, total: JsonValue = null) =>
    `data: ${JSON.stringify({
      ...envelope(request, 'chat.completion.chunk'),
      choices,
      ...(withUsage ? { usage: total } : {}),
    })}`;
  const delta = (value: JsonObject) => event([{ index: 0, delta: value, logprobs: null, finish_reason: null }]);

  const calls = toolCalls(answer).map((call, index) => [
    delta({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }] }),
    ...halves(call.function.arguments).map((piece) =>
      delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ]);
  return {
    opening: [delta({ role: 'assistant', content: answer.toolCalls.length > 0 ? null : '', refusal: null })],
    pieces: [
      ...piecesOf(answer.refusal).map((refusal) => delta({ refusal })),
      ...piecesOf(answer.text).map((content) => delta({ content })),
      ...eventsOfCalls(calls, answer),
    ],
    ending: [
      event([{ index: 0, delta: {}, logprobs: null, finish_reason: finishReason(answer) }]),
      ...(withUsage && answer.usage ? [event([], usage(answer.usage))] : []),
    ],
    terminator: 'data: [DONE]',
  };
}

function embeddings(request: UpstreamRequest, answer: CompleteAnswer): JsonObject {
  const input = member(request, 'input');
  const count = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
  const isPacked = member(request, 'encoding_format') === 'base64';
  const packed = (numbers: readonly number[]): string =>
    Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
  const tokens = answer.usage?.uncachedInputTokens ?? 0;
  return {
    object: 'list',
    data: vectorsOf(answer, count).map((numbers, index) => ({
      object: 'embedding',
      index,
      embedding: isPacked ? packed(numbers) : [...numbers],
    })),
    model: member(request, 'model') ?? null,
    ...(answer.usage ? { usage: { prompt_tokens: tokens, total_tokens: tokens } } : {}),
  };
}

function envelope(request: UpstreamRequest, object: string): JsonObject {
  return {
    id: `chatcmpl-${request.connection}`,
    object,
    created: 1_760_000_000,
    model: member(request, 'model') ?? null,
    service_tier: 'default',
    system_fingerprint: null,
  };
}

function toolCalls(answer: CompleteAnswer) {
  return answer.toolCalls.map((call, index) => ({
    id: `call_${index + 1}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
}

function finishReason(answer: CompleteAnswer): string {
  return answer.finishReason ?? (answer.toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

function usage(tokens: Usage): JsonObject {
  const prompt = tokens.uncachedInputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: tokens.outputTokens,
    total_tokens: prompt + tokens.outputTokens,
    prompt_tokens_details: {
      cached_tokens: tokens.cacheReadTokens,
      cache_write_tokens: tokens.cacheWriteTokens,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: tokens.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}

function errorType(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function errorCode(status: number): string | null {
  return { 401: 'invalid_api_key', 404: 'model_not_found', 429: 'rate_limit_exceeded' }[status] ?? null;
}
