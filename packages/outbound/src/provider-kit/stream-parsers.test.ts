import { describe, expect, it } from 'vitest';
import { EventParser, type ServerSentEvent } from './stream-parsers.ts';

function read(...pieces: readonly (string | Uint8Array)[]): readonly ServerSentEvent[] {
  const encoder = new TextEncoder();
  const parser = new EventParser();
  const events = pieces.flatMap((piece) => parser.push(typeof piece === 'string' ? encoder.encode(piece) : piece));
  return [...events, ...parser.end()];
}

describe('EventParser', () => {
  it('names and data are read, and lines of data joined', () => {
    const events = read('event: start\ndata: 1\n\ndata:2\ndata: 3\n\n: comment\nid: 7\nretry: 5\n\ndata\n\n');
    expect(events).toEqual([{ event: 'start', data: '1' }, { data: '2\n3' }, { data: '' }]);
  });

  it.each(['\n', '\r\n', '\r'])('%j ends a line, wherever the body is cut', (end) => {
    const text = `\uFEFFdata: Grüße 🚀${end}data: x${end}${end}event: b${end}data: y${end}${end}`;
    const expected = [{ data: 'Grüße 🚀\nx' }, { event: 'b', data: 'y' }];
    expect(read(text)).toEqual(expected);
    const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
    expect(read(...bytes)).toEqual(expected);
  });

  it('the empty line after a CRLF that was cut in two is kept', () => {
    expect(read('data: 1\r', '\n', '\n', 'data: 2\n\n')).toEqual([{ data: '1' }, { data: '2' }]);
  });

  it('an event that the end of the body cuts off is returned', () => {
    expect(read('data: 1\n\ndata: [DONE]')).toEqual([{ data: '1' }, { data: '[DONE]' }]);
  });

  it('an empty body has no events', () => {
    expect(read()).toEqual([]);
    expect(read('\n\n: x\n\n')).toEqual([]);
  });
});
