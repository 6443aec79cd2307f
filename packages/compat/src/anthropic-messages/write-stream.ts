import type Anthropic from '@anthropic-ai/sdk';
import type { ChatAnswer } from '../gateway-types.ts';
import { BlockWriter, type StreamPiece } from './block-writer.ts';
import { type ErrorBody, mapError } from './map-error.ts';
import { countsOf, emptyMessage, endOf } from './serialize-response.ts';

/** Sent by the server where nothing else is, so that clients keep waiting. */
export interface PingEvent {
  readonly type: 'ping';
}

export type MessageEvent = Anthropic.RawMessageStreamEvent | PingEvent | ErrorBody;

/** A streamed answer of the gateway. */
export interface StreamedChat extends Pick<ChatAnswer, 'id' | 'model'> {
  readonly events: AsyncIterable<StreamPiece | { readonly done: ChatAnswer }>;
}

export interface StreamOptions {
  /** As in the header of the response. */
  readonly requestId: string;
  /** About how many tokens the request has, for clients that show the count from the first event. Default 0. */
  readonly inputTokens?: number;
}

export const pingEvent: PingEvent = { type: 'ping' };

/**
 * The events of a streamed message. The counts of `message_start` are preliminary; those of `message_delta` are the totals.
 * One that fails ends with `error`, and only a complete one with `message_stop`. Ending the iteration ends that of the
 * answer, which closes the connection to the vendor.
 */
export async function* writeMessageStream(
  { id, model, events }: StreamedChat,
  { requestId, inputTokens = 0 }: StreamOptions,
): AsyncGenerator<MessageEvent> {
  const message = emptyMessage({ id, model });
  yield { type: 'message_start', message: { ...message, usage: { ...message.usage, input_tokens: inputTokens } } };
  yield pingEvent;
  const blocks = new BlockWriter(model);
  try {
    for await (const event of events) {
      if (!('done' in event)) {
        yield* blocks.write(event);
        continue;
      }
      yield* blocks.end();
      yield messageDelta(event.done);
      yield { type: 'message_stop' };
      return;
    }
    throw new Error('the stream of the gateway ended before the message was complete');
  } catch (error) {
    yield mapError(error, requestId).body;
  }
}

function messageDelta(answer: ChatAnswer): Anthropic.RawMessageDeltaEvent {
  return {
    type: 'message_delta',
    delta: { ...endOf(answer), container: null },
    usage: { ...countsOf(answer), server_tool_use: null },
  };
}

/** An event as it is sent: server-sent events whose name is their type. */
export function messageEventText(event: MessageEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
