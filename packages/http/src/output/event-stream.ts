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
export async function* eventStream(events: AsyncIterable<StreamEvent>, requestId: string): AsyncGenerator<string> {
  try {
    for await (const { event, data } of events) yield `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  } catch (error) {
    yield `event: error\ndata: ${problemReply(error, requestId).body}\n\n`;
  }
}
