import { expect, it } from 'vitest';
import { createRandom } from '../fixtures/random.ts';
import { dataOf, EventBytes } from './event-bytes.ts';

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
    const cutter = new EventBytes();
    const found: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + random.below(9);
      found.push(...cutter.push(bytes.subarray(at, end)));
      at = end;
    }
    const rest = cutter.rest();
    if (rest.length > 0) found.push(rest);
    expect(Buffer.concat(found).toString()).toBe(text);
    expect(found.map(dataOf)).toEqual(expected);
  }
});

it('returns an event without its empty line at the end', () => {
  const cutter = new EventBytes();
  expect(cutter.push(Buffer.from('data: 1\n\ndata: [DONE]'))).toHaveLength(1);
  expect(dataOf(cutter.rest())).toBe('[DONE]');
});

it('refuses bytes that are not UTF-8, which would come out as others', () => {
  expect(() => dataOf(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff]))).toThrow(TypeError);
});
