import type { ChatDelta, ChatResult, ToolCall } from '../../contracts/provider.ts';
import { providerError } from '../../contracts/provider-error.ts';
import type { FirstTokenLimit } from '../deadline.ts';

/** How an answer is read. */
export interface ChatWatch {
  readonly limit: Pick<FirstTokenLimit, 'race'>;
  /** What is to be seen: what the model says, or with what it calls its tool. */
  readonly watched: 'text' | 'arguments';
  /** Told of it as it grows, from its beginning. */
  readonly wrote: (text: string) => void;
  readonly firstOutput: () => void;
  /** Whose answer it is, for messages. */
  readonly provider: string;
}

/** Read a streamed answer to its end, as `chat` would have returned it, and have somebody see it meanwhile. */
export async function watchedChat(stream: AsyncIterable<ChatDelta>, watch: ChatWatch): Promise<ChatResult> {
  const { limit, watched, wrote, firstOutput, provider } = watch;
  const iterator = stream[Symbol.asyncIterator]();
  const toolCalls: ToolCall[] = [];
  let content = '';
  let callArguments = '';
  try {
    for (;;) {
      const { done, value } = await limit.race(iterator.next());
      if (done) throw providerError('bad_response', `the stream of ${provider} ended before the answer was complete`);
      if (value.type === 'finish') {
        const { type: _, ...end } = value;
        return { content, toolCalls, ...end };
      }
      if (value.type !== 'text' || value.text !== '') firstOutput();
      if (value.type === 'text') {
        content += value.text;
        if (watched === 'text') wrote(content);
      } else if (value.type === 'tool-arguments') {
        callArguments += value.text;
        // Of several calls, the first is the answer.
        if (watched === 'arguments' && toolCalls.length === 0) wrote(callArguments);
      } else {
        toolCalls.push(value.toolCall);
        if (watched === 'arguments' && toolCalls.length === 1) wrote(JSON.stringify(value.toolCall.arguments));
      }
    }
  } finally {
    // Not awaited: a provider that hangs would keep the next model from being asked.
    iterator.return?.().catch(() => undefined);
  }
}
