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
  it('names and data are read, and lines of data joined', async () => {
    const events = await read('event: start\ndata: 1\n\ndata:2\ndata: 3\n\n: comment\nid: 7\nretry: 5\n\ndata\n\n');
    expect(events).toEqual([{ event: 'start', data: '1' }, { data: '2\n3' }, { data: '' }]);
  });

  it.each(['\n', '\r\n', '\r'])('%j ends a line, wherever the body is cut', async (end) => {
    const text = `\uFEFFdata: Grüße 🚀${end}data: x${end}${end}event: b${end}data: y${end}${end}`;
    const expected = [{ data: 'Grüße 🚀\nx' }, { event: 'b', data: 'y' }];
    expect(await read(text)).toEqual(expected);
    const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
    expect(await read(...bytes)).toEqual(expected);
  });

  it('the empty line behind a CRLF that was cut in two is kept', async () => {
    expect(await read('data: 1\r', '\n', '\n', 'data: 2\n\n')).toEqual([{ data: '1' }, { data: '2' }]);
  });

  it('an event that the end of the body cuts off is returned', async () => {
    expect(await read('data: 1\n\ndata: [DONE]')).toEqual([{ data: '1' }, { data: '[DONE]' }]);
  });

  it('an empty body has no events', async () => {
    expect(await read()).toEqual([]);
    expect(await read('\n\n: x\n\n')).toEqual([]);
  });

  it('the end of the iteration cancels the body', async () => {
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

  it('the failure of the body follows the events before it', async () => {
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
