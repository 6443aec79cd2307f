import { problemReply } from './problem.ts';

/** An event of a stream: its name, and a document. */
export interface StreamEvent {
  readonly event: 'start' | 'delta' | 'restart' | 'done';
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

/**
 * Whether a piece of such a stream shows all that there is so far. The ones after it have that as well, and the last one
 * has the whole, so that it need not be kept.
 */
export function isSnapshot(piece: string): boolean {
  return piece.startsWith('event: delta\ndata: {"output":') || piece.startsWith('event: restart\n');
}

function textOf({ event, data }: StreamEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
