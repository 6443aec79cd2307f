import type { ChatDelta, ChatRequest, ChatResult, Usage } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { partsOf } from './message-content.ts';
import { estimateUsage } from './token-usage.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** The response of an upstream, and how it ended. */
export interface ChatAnswer extends Pick<ChatResult, 'content' | 'finishReason' | 'extra'> {
  /** Undefined if the upstream did not report it. */
  readonly usage: Usage | undefined;
  /** The name by which it identified itself. */
  readonly model?: string | undefined;
}

/** Model names are short; anything longer is not one. */
const LONGEST_NAME = 255;

/**
 * The result of a chat. A model may use up its tokens thinking, or have nothing to add to its own last message; every other
 * empty response is a failure.
 *
 * @param warnings One sentence for each thing that had to be expressed in another way.
 *
 * @example
 * ```ts
 * import { type ChatRequest, completeChat, type UpstreamClient } from '@patchbay/core/provider';
 *
 * export const resultOf = (content: string, request: ChatRequest, upstream: UpstreamClient) =>
 *   completeChat({ content, finishReason: 'stop', usage: undefined }, request, [], upstream);
 * ```
 */
export function completeChat(
  { content, finishReason, usage, extra, model = '' }: ChatAnswer,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const isEmpty = partsOf(content).every(({ type }) => type === 'reasoning');
  const continues = request.messages.at(-1)?.role === 'assistant' && finishReason === 'stop';
  if (isEmpty && finishReason !== 'length' && !continues) {
    if (finishReason !== 'content-filter') throw upstream.badAnswer('says nothing');
    throw providerError('content_filter', `${upstream.name} filtered the content`);
  }
  return {
    content,
    finishReason,
    usage: usage ?? estimateUsage(request, content),
    ...(model !== '' && model.length <= LONGEST_NAME && { model }),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(extra && { extra }),
  };
}

/**
 * The last delta of a stream that adds up to the result.
 *
 * @example
 * ```ts
 * import { type ChatDelta, type ChatResult, contentText, finishDelta } from '@patchbay/core/provider';
 *
 * export async function* deltasOf(result: ChatResult): AsyncGenerator<ChatDelta> {
 *   yield { type: 'text', text: contentText(result.content) };
 *   yield finishDelta(result);
 * }
 * ```
 */
export function finishDelta(result: ChatResult): ChatDelta {
  const { content: _, ...end } = result;
  return { type: 'finish', ...end };
}
