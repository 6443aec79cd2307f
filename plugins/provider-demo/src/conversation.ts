import type { ChatRequest, Message } from '@patchbay/core/provider';

/** A conversation by the part that its texts play in the answer. */
export interface Conversation {
  /** What the caller asked last. */
  readonly question: string;
  /** What tools answered to that, where they did. */
  readonly toolResults: readonly string[];
  /** What callers and tools said before; the latest first. */
  readonly before: readonly string[];
  /** Every text but the question, in order: where an answer may be. */
  readonly others: readonly string[];
}

export function readConversation({ messages }: ChatRequest): Conversation {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const toolResults = messages.slice(last + 1).filter(({ role }) => role === 'tool');
  const earlier = messages.slice(0, Math.max(0, last)).filter(({ role }) => role === 'user' || role === 'tool');
  const asked = messages[last];
  return {
    question: asked ? textOf(asked) : '',
    toolResults: toolResults.map(textOf),
    before: earlier.map(textOf).reverse(),
    others: messages.filter((_, index) => index !== last).map(textOf),
  };
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
