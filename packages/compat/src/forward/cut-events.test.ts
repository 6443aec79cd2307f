import { expect, it } from 'vitest';
import { createRandom } from '../fixtures/random.ts';
import { dataOf, EventCutter } from './cut-events.ts';

function dataIn(event: string | undefined): string | undefined {
  const { text = '', from = 0, to = 0 } = dataOf(event ?? '') ?? {};
  return text === '' ? undefined : text.slice(from, to);
}

const events = [
  'data: {"a":"é"}',
  'event: ping\ndata: 1\ndata: 2',
  ': comment',
  'data:[DONE]',
  'id: 1\ndata:  x',
  'retry: 5',
];
const expected = ['{"a":"é"}', '1\n2', undefined, '[DONE]', ' x', undefined];

it.each([
  ['line feeds', '\n'],
  ['carriage returns and line feeds', '\r\n'],
  ['carriage returns', '\r'],
])('cuts streams with %s behind each event, wherever their bytes are cut', (_, lineEnd) => {
  const text = events.map((event) => event.replaceAll('\n', lineEnd) + lineEnd + lineEnd).join('');
  const bytes = Buffer.from(text);
  const random = createRandom(7);
  for (let round = 0; round < 200; round += 1) {
    const cutter = new EventCutter();
    const found: (string | undefined)[] = [];
    const cut: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + random.below(round % 2 === 0 ? 9 : 60);
      const arrived = cutter.push(bytes.subarray(at, end));
      found.push(...arrived.events);
      cut.push(arrived.bytes);
      at = end;
    }
    const rest = cutter.rest();
    expect(Buffer.concat([...cut, rest.bytes]).toString()).toBe(text);
    expect([...found, ...rest.events].join('')).toBe(text);
    expect([...found, ...rest.events].map(dataIn)).toEqual(expected);
  }
});

it('the bytes of events are those that arrived, up to the end of the last', () => {
  const arrived = Buffer.from('data: 1\n\n\ndata: 2\n\n\n');
  const { bytes, events } = new EventCutter().push(arrived);
  expect(events).toEqual(['data: 1\n\n', '\ndata: 2\n\n']);
  expect([bytes.buffer, bytes.byteOffset, bytes.length]).toEqual([arrived.buffer, arrived.byteOffset, 19]);
});

it('returns an event without its empty line at the end', () => {
  const cutter = new EventCutter();
  expect(cutter.push(Buffer.from('data: 1\n\ndata: [DONE]')).events).toHaveLength(1);
  expect(cutter.rest().events.map(dataIn)).toEqual(['[DONE]']);
});

it('an event that is not UTF-8 has no text, and its neighbours have theirs', () => {
  const wrong = Buffer.concat([Buffer.from('data: 1\n\ndata: '), Buffer.of(0xff), Buffer.from('\n\ndata: ü\n\n')]);
  expect(new EventCutter().push(wrong).events).toEqual(['data: 1\n\n', undefined, 'data: ü\n\n']);
  const rest = new EventCutter();
  rest.push(Buffer.of(0x64, 0xff));
  expect(rest.rest().events).toEqual([undefined]);
});

it('an event of megabytes is read from many pieces', () => {
  const cutter = new EventCutter();
  const text = `data: ${'x'.repeat(12 * 1024 * 1024)}\n\n`;
  const bytes = Buffer.from(`${text}data: 2`);
  const found: (string | undefined)[] = [];
  for (let at = 0; at < bytes.length; at += 2_048) found.push(...cutter.push(bytes.subarray(at, at + 2_048)).events);
  expect(found.length === 1 && found[0] === text).toBe(true);
  expect(cutter.rest().events).toEqual(['data: 2']);
});
