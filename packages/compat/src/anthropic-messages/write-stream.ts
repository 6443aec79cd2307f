import type Anthropic from '@anthropic-ai/sdk';
import { resumedComment } from '../forward/resumed-comment.ts';
import type { ChatAnswer, ChatEvent } from '../gateway-types.ts';
import { BlockWriter } from './block-writer.ts';
import { countsOf, emptyMessage, endOf } from './serialize-response.ts';

/** The SDK does not show pings, which keep clients waiting. */
type MessageEvent = Anthropic.RawMessageStreamEvent | { readonly type: 'ping' };

/** The members of a response that are known before its first piece. */
export type StreamHead = Pick<ChatAnswer, 'id' | 'model'>;

export interface StreamOptions {
  /** About how many tokens the request has, for clients that show the count from the first event. Default 0. */
  readonly inputTokens?: number;
}

const pingText = textOf({ type: 'ping' });

/**
 * The server-sent events of a message. The counts of `message_start` are preliminary; those of `message_delta` are the
 * totals. `message_stop` ends a complete message only. Ending the iteration ends that of the pieces, which closes the
 * connection to the vendor.
 *
 * @throws What `pieces` throw, to be sent as `errorEvent`, and Error where they end without the answer.
 */
export async function* writeMessageStream(
  head: StreamHead,
  pieces: AsyncIterable<ChatEvent>,
  { inputTokens = 0 }: StreamOptions = {},
): AsyncGenerator<string> {
  const message = emptyMessage(head);
  yield textOf({
    type: 'message_start',
    message: { ...message, usage: { ...message.usage, input_tokens: inputTokens } },
  });
  yield pingText;
  yield* writeBlocks(new BlockWriter(head.model), pieces);
}

/** The events from the next block on. */
export async function* writeBlocks(blocks: BlockWriter, pieces: AsyncIterable<ChatEvent>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    if ('resumed' in piece) {
      for (const event of blocks.resume(piece.resumed.model)) yield textOf(event);
      yield resumedComment(piece);
      continue;
    }
    if (!('done' in piece)) {
      for (const event of blocks.write(piece)) yield textOf(event);
      continue;
    }
    for (const event of blocks.end()) yield textOf(event);
    yield textOf(messageDelta(piece.done));
    // Headers are long gone. Clients skip comments, and people who look at the stream find them.
    for (const warning of piece.done.warnings) yield `: warning: ${warning.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
    yield textOf({ type: 'message_stop' });
    return;
  }
  throw new Error('the stream ended without its answer');
}

/** The end of a stream that fails. */
export function errorEvent(body: string): string {
  return `event: error\ndata: ${body}\n\n`;
}

function messageDelta(answer: ChatAnswer): Anthropic.RawMessageDeltaEvent {
  return {
    type: 'message_delta',
    delta: { ...endOf(answer), container: null },
    usage: { ...countsOf(answer), server_tool_use: null },
  };
}

function textOf(event: MessageEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
