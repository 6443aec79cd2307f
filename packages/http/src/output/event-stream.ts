/** An event of a stream: its name, and a document. */
export interface StreamEvent {
  readonly event: 'start' | 'delta' | 'restart' | 'done';
  readonly data: unknown;
}

export const eventStreamType = 'text/event-stream';

/** Server-sent events (HTML standard, section 9.2). One that ends without `done` has failed. */
export async function* eventStream<T>(
  start: StreamEvent,
  events: AsyncIterable<T>,
  toEvent: (event: T) => StreamEvent,
): AsyncGenerator<string> {
  yield textOf(start);
  for await (const event of events) yield textOf(toEvent(event));
}

const errorHead = 'event: error\n';

/** End a stream that fails with an `error` event: the problem document that an answer would have been. */
export async function* endingInWords(
  stream: AsyncIterable<string>,
  documentOf: (error: unknown) => string,
): AsyncGenerator<string> {
  try {
    yield* stream;
  } catch (error) {
    yield `${errorHead}data: ${documentOf(error)}\n\n`;
  }
}

/** Whether a piece of such a stream tells that it failed. */
export function isFailure(piece: string): boolean {
  return piece.startsWith(errorHead);
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
