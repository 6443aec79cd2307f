import type { HttpReply } from './http.ts';

/** Yields the pieces in the `delta` events of a stream, without empty ones, then returns its last event; undefined if it was cut off. */
export async function* readDeltas<Piece>(
  { stream }: HttpReply,
  pieceOf: (delta: unknown, before?: Piece) => Piece,
): AsyncGenerator<Piece, LastEvent | undefined, void> {
  let rest = '';
  let latest: Piece | undefined;
  for await (const piece of stream as AsyncIterable<string>) {
    // Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), cut anywhere.
    const blocks = (rest + piece.replaceAll('\r', '')).split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) {
      const [, event] = /^event: ?(.*)$/m.exec(block) ?? [];
      if (event === 'restart') latest = undefined;
      if (event !== 'delta' && event !== 'done' && event !== 'error') continue;
      const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n');
      const json: unknown = JSON.parse(data);
      if (event !== 'delta') return { event, json };
      latest = pieceOf(json, latest);
      // A delta of something other than text.
      if (latest !== '') yield latest;
    }
  }
  return undefined;
}

interface LastEvent {
  readonly event: 'done' | 'error';
  readonly json: unknown;
}
