import type Anthropic from '@anthropic-ai/sdk';
import { resumedComment } from '../forward/resumed-comment.ts';
import type { ChatAnswer, ChatEvent } from '../gateway-types.ts';
import { jsonTexts } from '../json-texts.ts';
import { type BlockEvent, BlockWriter } from './block-writer.ts';
import { countsOf, emptyMessage, endOf } from './serialize-response.ts';

/** The SDK does not show pings, which keep clients waiting. */
type MessageEvent = Anthropic.RawMessageStreamEvent | BlockEvent | { readonly type: 'ping' };

/** The members of a response that are known before its first piece. */
export type StreamHead = Pick<ChatAnswer, 'id' | 'model'>;

export interface StreamOptions {
  /** About how many tokens the request has, for clients that show the count from the first event. Default 0. */
  readonly inputTokens?: number;
}

const deltaEvent = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":';
const pingText = textOf({ type: 'ping' });

/**
 * The server-sent events of a message, those of pieces that arrive together in one string. The counts of
 * `message_start` are preliminary; those of `message_delta` are the totals. `message_stop` ends a complete message only.
 * Ending the iteration ends that of the pieces, which closes the connection to the vendor.
 *
 * @throws What `pieces` throw, to be sent as `errorEvent`, and Error if they end without the answer.
 */
export async function* writeMessageStream(
  head: StreamHead,
  pieces: AsyncIterable<readonly ChatEvent[]>,
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
export async function* writeBlocks(
  blocks: BlockWriter,
  batches: AsyncIterable<readonly ChatEvent[]>,
): AsyncGenerator<string> {
  for await (const pieces of batches) {
    let text = '';
    for (const piece of pieces) {
      if ('resumed' in piece) {
        for (const event of blocks.resume(piece.resumed.model)) text += textOf(event);
        text += resumedComment(piece);
      } else if ('done' in piece) {
        for (const event of blocks.end()) text += textOf(event);
        yield text + endText(piece.done);
        return;
      } else for (const event of blocks.write(piece)) text += textOf(event);
    }
    if (text !== '') yield text;
  }
  throw new Error('the stream ended without its answer');
}

function endText(answer: ChatAnswer): string {
  // Headers have long been sent. Clients skip comments, and people who look at the stream find them.
  const warnings = answer.warnings.map((warning) => `: warning: ${warning.replaceAll(/[\r\n]+/g, ' ')}\n\n`);
  return textOf(messageDelta(answer)) + warnings.join('') + textOf({ type: 'message_stop' });
}

/** The end of a failing stream. */
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
  // Nearly every event is one, and only its text is new.
  if (event.type === 'content_block_delta') {
    const { index, delta } = event;
    const pieces = 'pieces' in event ? event.pieces : undefined;
    if (delta.type === 'text_delta') {
      const opening = `${deltaEvent}${index},"delta":{"type":"text_delta","text":`;
      return jsonTexts(pieces ?? [delta.text], opening, '}}\n\n');
    }
    if (delta.type === 'thinking_delta') {
      const opening = `${deltaEvent}${index},"delta":{"type":"thinking_delta","thinking":`;
      return jsonTexts(pieces ?? [delta.thinking], opening, '}}\n\n');
    }
  }
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
