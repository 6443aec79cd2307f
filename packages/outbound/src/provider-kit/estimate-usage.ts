import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import type { AssistantContent, ContentPart, Message } from '@patchbay/contracts/message';
import type { ChatRequest, Usage } from '@patchbay/contracts/provider';

/** About what vendors count for a medium-sized image, or a page of a document. */
const TOKENS_PER_ATTACHMENT = 1_000;

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
 * Usage for a provider that did not report it.
 *
 * @example
 * ```ts
 * import { estimateUsage } from '@patchbay/core/provider';
 *
 * const request = { model: 'large', messages: [{ role: 'user', content: 'Hello' }] } as const;
 * console.log(estimateUsage(request, 'Hello to you').estimated); // true
 * ```
 */
export function estimateUsage(request: ChatRequest, content: AssistantContent): Usage {
  let input = estimateTokens(JSON.stringify([request.tools ?? '', request.responseSchema ?? '']));
  for (const message of request.messages) {
    input += estimateContent(message.content);
  }
  return {
    uncachedInputTokens: input,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: estimateContent(content),
    reasoningTokens: 0,
    estimated: true,
  };
}

function estimateContent(content: Message['content']): number {
  if (typeof content === 'string') return estimateTokens(content);
  return (content as readonly ContentPart[]).reduce((sum, part) => sum + estimatePart(part), 0);
}

function estimatePart(part: ContentPart): number {
  if (part.type === 'tool-call') return estimateTokens(part.name + jsonTextOf(part.arguments));
  return 'text' in part ? estimateTokens(part.text) : TOKENS_PER_ATTACHMENT;
}
