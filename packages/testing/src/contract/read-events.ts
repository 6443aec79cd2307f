/** An event of a gateway stream. */
export interface ReadEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The events of a gateway stream, from everything that was received.
 *
 * @throws Error if the text is anything but complete events.
 *
 * @example
 * ```ts
 * import { readEvents } from '@patchbay/testing';
 *
 * const [first] = readEvents('event: start\ndata: {"model":"local/small"}\n\n');
 * console.log(first?.event, first?.data['model']);
 * ```
 */
export function readEvents(text: string): readonly ReadEvent[] {
  if (!text.endsWith('\n\n')) throw new Error(`the stream ends within an event: ${text.slice(-200)}`);
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      if (event === undefined || data === undefined) throw new Error(`not an event: ${block}`);
      return { event, data: JSON.parse(data) as ReadEvent['data'] };
    });
}
