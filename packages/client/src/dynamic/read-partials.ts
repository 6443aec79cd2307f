import type { HttpReply } from '../http/http.ts';
import { parsePartialJson } from '../http/partial-json.ts';
import { readEvents } from '../http/server-sent-events.ts';

/** The outputs so far of a stream of events, then what its last event says. */
export async function* readPartials<T>(
  { stream }: HttpReply,
  partial: (value: unknown) => T,
): AsyncGenerator<T, LastEvent | undefined, void> {
  let text = '';
  let seen: string | undefined;
  for await (const events of readEvents(stream as AsyncIterable<string>)) {
    for (const { event, data } of events) {
      const json: unknown = JSON.parse(data);
      if (event === 'delta') text += (json as { readonly text: string }).text;
      else if (event === 'done' || event === 'error') return { event, json };
    }
    // Once for all events that arrived together: to read the text anew for each would take longer and longer.
    const value = parsePartialJson(text);
    const now = JSON.stringify(value);
    if (now !== seen) yield partial(value);
    seen = now;
  }
  return undefined;
}

/** Absent where the stream was cut off. */
export interface LastEvent {
  readonly event: 'done' | 'error';
  readonly json: unknown;
}
