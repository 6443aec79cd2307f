import type { JsonObject } from '@patchbay/core/plugin';
import type { Usage } from '@patchbay/core/provider';
import { type CompleteAnswer, piecesOf, vectorsOf } from '../upstream-answer.ts';
import type { UpstreamRequest } from '../upstream-request.ts';
import { type AnswerStream, type Dialect, member } from './dialect.ts';
import { googleRequestFault } from './google-request-fault.ts';

/** The Gemini API, `v1beta` and `v1`. */
export const google: Dialect = {
  basePath: '',
  streamFormat: 'events',
  lineEnd: '\r\n',
  requestIdHeader: undefined,

  refuse(request) {
    const refused = (status: number, message: string) => ({ status, body: google.error(status, message) });
    const target = targetOf(request);
    if (!target || request.method !== 'POST') return refused(404, 'Requested entity was not found.');
    if (!request.headers['x-goog-api-key'] && !target.query.has('key')) {
      return refused(403, 'Method does not allow unregistered callers.');
    }
    const needed = { embedContent: 'content', batchEmbedContents: 'requests' }[target.method] ?? 'contents';
    const fault =
      member(request, needed) === undefined ? `${needed} is not specified` : googleRequestFault(request, target.model);
    return fault === undefined ? undefined : refused(400, fault);
  },

  answer(request, answer) {
    const target = targetOf(request);
    if (target?.method === 'embedContent') return { embedding: valuesOf(answer, 1)[0] ?? null };
    if (target?.method === 'batchEmbedContents') {
      const requests = member(request, 'requests');
      const count = Array.isArray(requests) ? requests.length : 0;
      return { embeddings: valuesOf(answer, count) };
    }
    const model = target?.model ?? '';
    return target?.query.get('alt') === 'sse' ? stream(request, model, answer) : response(request, model, answer);
  },

  error(status, message) {
    return { error: { code: status, message, status: statusName(status) } };
  },

  refusal(cause) {
    const message = {
      context_length: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
      content_filter: 'The prompt was blocked because of its content.',
      unsupported: 'Penalty is not enabled for this model',
    }[cause];
    if (cause !== 'content_filter') return { status: 400, body: google.error(400, message) };
    return {
      status: 200,
      body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: message } },
    };
  },

  errorEvent(message) {
    return `data: ${JSON.stringify(google.error(503, message))}`;
  },
};

function response(request: UpstreamRequest, model: string, answer: CompleteAnswer): JsonObject {
  const said = [...(answer.text === '' ? [] : [{ text: answer.text }]), ...calls(answer)];
  const parts = [...thoughts(answer), ...signed(said, answer)];
  const candidate = { content: { parts, role: 'model' }, finishReason: answer.finishReason ?? 'STOP', index: 0 };
  return {
    candidates: [candidate],
    ...(answer.usage ? { usageMetadata: usage(answer.usage) } : {}),
    ...envelope(request, model),
  };
}

function stream(request: UpstreamRequest, model: string, answer: CompleteAnswer): AnswerStream {
  const event = (parts: readonly JsonObject[], last: JsonObject = {}, total: JsonObject = {}) =>
    `data: ${JSON.stringify({
      candidates: [{ content: { parts: [...parts], role: 'model' }, ...last, index: 0 }],
      ...total,
      ...envelope(request, model),
    })}`;
  const total = answer.usage ? { usageMetadata: usage(answer.usage) } : {};
  return {
    opening: [],
    pieces: [
      ...thoughts(answer).map((part) => event([part])),
      ...signed([...piecesOf(answer.text).map((text) => ({ text })), ...calls(answer)], answer).map((part) =>
        event([part]),
      ),
    ],
    ending: [event([{ text: '' }], { finishReason: answer.finishReason ?? 'STOP' }, total)],
  };
}

function valuesOf(answer: CompleteAnswer, count: number): JsonObject[] {
  return vectorsOf(answer, count).map((values) => ({ values: [...values] }));
}

/** Summaries of what the model thought. */
function thoughts({ reasoning }: CompleteAnswer): JsonObject[] {
  return reasoning?.text ? [{ text: reasoning.text, thought: true }] : [];
}

/** Google signs the first part after the reasoning, not the summary; of several calls in one turn, the first. */
function signed(parts: readonly JsonObject[], { reasoning }: CompleteAnswer): JsonObject[] {
  const thoughtSignature = reasoning?.signature;
  if (thoughtSignature === undefined) return [...parts];
  const place = Math.max(
    0,
    parts.findIndex((part) => 'functionCall' in part),
  );
  return parts.map((part, index) => (index === place ? { ...part, thoughtSignature } : part));
}

function calls(answer: CompleteAnswer): JsonObject[] {
  return answer.toolCalls.map((call) => ({ functionCall: { name: call.name, args: call.arguments } }));
}

function usage(tokens: Usage): JsonObject {
  const prompt = tokens.uncachedInputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
  return {
    promptTokenCount: prompt,
    ...(tokens.cacheReadTokens > 0 ? { cachedContentTokenCount: tokens.cacheReadTokens } : {}),
    candidatesTokenCount: tokens.outputTokens - tokens.reasoningTokens,
    ...(tokens.reasoningTokens > 0 ? { thoughtsTokenCount: tokens.reasoningTokens } : {}),
    totalTokenCount: prompt + tokens.outputTokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  };
}

function envelope(request: UpstreamRequest, model: string): JsonObject {
  return { modelVersion: model, responseId: `response-${request.connection}` };
}

function targetOf(request: UpstreamRequest) {
  const { pathname, searchParams } = new URL(request.path, 'http://upstream');
  const match =
    /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent|embedContent|batchEmbedContents)$/.exec(
      pathname,
    );
  const [, model, method] = match ?? [];
  return model && method ? { model, method, query: searchParams } : undefined;
}

function statusName(status: number): string {
  const names: Readonly<Record<number, string>> = {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    409: 'ABORTED',
    429: 'RESOURCE_EXHAUSTED',
    500: 'INTERNAL',
    503: 'UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
  };
  return names[status] ?? 'UNKNOWN';
}
