import { jsonTextOf } from '../base/json-text-of.ts';
import type { PatchbayError } from '../contracts/errors.ts';
import type { ChatRequest, ContentPart, ToolCall, Usage } from '../contracts/provider.ts';

/** About what vendors count for a picture of middling size. */
const TOKENS_PER_IMAGE = 1_000;

/**
 * A count of tokens in an upstream's answer; undefined where the upstream did not say.
 *
 * @param fault Makes the error for a count that is none.
 *
 * @example
 * ```ts
 * import { type JsonFields, readTokenCount, type UpstreamClient } from '@patchbay/core/provider';
 *
 * export const tokensOf = (answer: JsonFields, { badAnswer }: UpstreamClient) => readTokenCount(answer['tokens'], badAnswer);
 * ```
 */
export function readTokenCount(value: unknown, fault: (what: string) => PatchbayError): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw fault('has a count of tokens that is none');
}

/**
 * About how many tokens a text has: a quarter of its UTF-8 bytes, rounded up.
 *
 * @example
 * ```ts
 * import { estimateTokens } from '@patchbay/core/provider';
 *
 * console.log(estimateTokens('Hello, world')); // 3
 * ```
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * Usage for a provider that did not say.
 *
 * @example
 * ```ts
 * import { estimateUsage } from '@patchbay/core/provider';
 *
 * const request = { model: 'large', messages: [{ role: 'user', content: 'Hello' }] } as const;
 * console.log(estimateUsage(request, 'Hello to you', []).estimated); // true
 * ```
 */
export function estimateUsage(request: ChatRequest, content: string, toolCalls: readonly ToolCall[]): Usage {
  let input = estimateTokens(JSON.stringify([request.tools ?? '', request.responseSchema ?? '']));
  for (const message of request.messages) {
    input += typeof message.content === 'string' ? estimateTokens(message.content) : estimateParts(message.content);
    if (message.role === 'assistant') input += estimateCalls(message.toolCalls ?? []);
  }
  return {
    uncachedInputTokens: input,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: estimateTokens(content) + estimateCalls(toolCalls),
    reasoningTokens: 0,
    estimated: true,
  };
}

function estimateParts(parts: readonly ContentPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? estimateTokens(part.text) : TOKENS_PER_IMAGE), 0);
}

function estimateCalls(calls: readonly ToolCall[]): number {
  return calls.reduce((sum, call) => sum + estimateTokens(call.name + jsonTextOf(call.arguments)), 0);
}
