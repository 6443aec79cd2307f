import { problemReply } from './problem.ts';

/** An event of a stream: its name, and a document. */
export interface StreamEvent {
  readonly event: 'start' | 'delta' | 'done';
  readonly data: unknown;
}

export const eventStreamType = 'text/event-stream';

/**
 * Server-sent events (HTML standard, section 9.2). A stream that fails ends with an `error` event that carries a problem
 * document: one that ends without `done` has failed.
 */
export async function* eventStream<T>(
  start: StreamEvent,
  events: AsyncIterable<T>,
  toEvent: (event: T) => StreamEvent,
  requestId: string,
): AsyncGenerator<string> {
  try {
    yield textOf(start);
    for await (const event of events) yield textOf(toEvent(event));
  } catch (error) {
    yield `event: error\ndata: ${problemReply(error, requestId).body}\n\n`;
  }
}

function textOf({ event, data }: StreamEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
