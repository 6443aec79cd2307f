import { AsyncResource } from 'node:async_hooks';
import type { ChatRequest, ChatResult, FinishReason, Usage } from '@patchbay/contracts/provider';
import type { Attributes } from '@patchbay/contracts/telemetry';
import type { Measuring, OpenSpan } from './measuring.ts';

/** Span attributes of the usage of a call. */
export function usageAttributes(usage: Usage): Attributes {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    'gen_ai.usage.input_tokens': uncachedInputTokens + cacheReadTokens + cacheWriteTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(cacheReadTokens > 0 && { 'gen_ai.usage.cache_read.input_tokens': cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
  };
}

/** Span attributes of a request: its parameters, never its content. */
export function requestAttributes(request: ChatRequest): Attributes {
  const { maxTokens, temperature, topP, frequencyPenalty, presencePenalty, responseSchema } = request;
  return {
    'gen_ai.output.type': responseSchema === undefined ? 'text' : 'json',
    ...(maxTokens !== undefined && { 'gen_ai.request.max_tokens': maxTokens }),
    ...(temperature !== undefined && { 'gen_ai.request.temperature': temperature }),
    ...(topP !== undefined && { 'gen_ai.request.top_p': topP }),
    ...(frequencyPenalty !== undefined && { 'gen_ai.request.frequency_penalty': frequencyPenalty }),
    ...(presencePenalty !== undefined && { 'gen_ai.request.presence_penalty': presencePenalty }),
  };
}

const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/** Span attributes of a complete response. */
export function answerAttributes(answer: Pick<ChatResult, 'usage' | 'finishReason' | 'model'>): Attributes {
  return {
    ...usageAttributes(answer.usage),
    'gen_ai.response.finish_reasons': [finishReasons[answer.finishReason]],
    ...(answer.model !== undefined && { 'gen_ai.response.model': answer.model }),
  };
}

/**
 * A span that is open for as long as a response.
 *
 * @param end Its attributes at the end.
 */
export function openSpan(measuring: Measuring, name: string, attributes: Attributes, end: () => Attributes): OpenSpan {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let within = <T>(work: () => T): T => work();
  const spanned = measuring.span(name, attributes, async (span) => {
    const scope = new AsyncResource('PATCHBAY_CALL', { requireManualDestroy: true });
    within = (work) => scope.runInAsyncScope(work);
    await promise.finally(() => span.set(end()));
  });
  spanned.catch(() => undefined);
  return { within: (work) => within(work), over: resolve, failed: reject };
}
