/** One event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** The events in pieces of text that are cut anywhere, all those of one piece together. */
export async function* readEvents(pieces: AsyncIterable<string>): AsyncGenerator<readonly ServerSentEvent[]> {
  let rest = '';
  for await (const piece of pieces) {
    const blocks = (rest + piece.replaceAll('\r', '')).split('\n\n');
    rest = blocks.pop() ?? '';
    if (blocks.length > 0) yield blocks.map(eventOf);
  }
}

function eventOf(block: string): ServerSentEvent {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(event|data): ?(.*)$/.exec(line) ?? [];
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
  }
  return { event, data: data.join('\n') };
}
