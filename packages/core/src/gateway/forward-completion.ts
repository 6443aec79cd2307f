import type { ForwardOutcome } from '../contracts/forward.ts';
import type { GatewayOperation } from '../events/event-kinds.ts';
import { type AnswerHead, totalsOf } from './answers.ts';
import type { CompletedAnswer } from './gateway-listener.ts';

/** A response that was forwarded, as it is reported. */
export function forwardCompletion(
  operation: GatewayOperation,
  head: AnswerHead,
  { usage, outputBytes }: ForwardOutcome,
): CompletedAnswer {
  const counted = usage ?? {
    uncachedInputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: Math.ceil(outputBytes / 4),
    reasoningTokens: 0,
    estimated: true,
  };
  const totals = totalsOf({ results: [{ content: '', finishReason: 'stop', usage: counted }] }, head);
  return operation === 'embed' ? { ...head, tokens: totals.promptTokens } : { ...head, ...totals };
}
