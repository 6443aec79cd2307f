import { describe, expect, it } from 'vitest';
import { readServerSentEvents, type ServerSentEvent } from './stream-parsers.ts';

async function read(...pieces: readonly (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  const encoder = new TextEncoder();
  const body = ReadableStream.from(pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece)));
  const events: ServerSentEvent[] = [];
  for await (const event of readServerSentEvents(body)) events.push(event);
  return events;
}

describe('readServerSentEvents', () => {
  it('reads names and data, and joins lines of data', async () => {
    const events = await read('event: start\ndata: 1\n\ndata:2\ndata: 3\n\n: comment\nid: 7\nretry: 5\n\ndata\n\n');
    expect(events).toEqual([{ event: 'start', data: '1' }, { data: '2\n3' }, { data: '' }]);
  });

  it.each(['\n', '\r\n', '\r'])('takes %j for the end of a line, wherever the body is cut', async (end) => {
    const text = `\uFEFFdata: Grüße 🚀${end}data: x${end}${end}event: b${end}data: y${end}${end}`;
    const expected = [{ data: 'Grüße 🚀\nx' }, { event: 'b', data: 'y' }];
    expect(await read(text)).toEqual(expected);
    const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
    expect(await read(...bytes)).toEqual(expected);
  });

  it('keeps the empty line behind a CRLF that was cut in two', async () => {
    expect(await read('data: 1\r', '\n', '\n', 'data: 2\n\n')).toEqual([{ data: '1' }, { data: '2' }]);
  });

  it('gives the event that the end of the body cuts off', async () => {
    expect(await read('data: 1\n\ndata: [DONE]')).toEqual([{ data: '1' }, { data: '[DONE]' }]);
  });

  it('gives nothing for nothing', async () => {
    expect(await read()).toEqual([]);
    expect(await read('\n\n: x\n\n')).toEqual([]);
  });

  it('cancels the body when the iteration ends', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const event of readServerSentEvents(body)) {
      expect(event).toEqual({ data: '1' });
      break;
    }
    expect(cancelled).toBe(true);
  });

  it('passes on that the body failed, after what came before', async () => {
    const failure = new Error('cut');
    const body = ReadableStream.from(
      (async function* () {
        yield new TextEncoder().encode('data: 1\n\n');
        throw failure;
      })(),
    );
    const events = readServerSentEvents(body);
    expect((await events.next()).value).toEqual({ data: '1' });
    await expect(events.next()).rejects.toBe(failure);
  });
});
