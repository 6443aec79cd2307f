import { expect, it } from 'vitest';
import { endingInWords, eventStream } from './wire.ts';

it.each([
  ['a string', (text: string) => text],
  ['bytes', (text: string) => Buffer.from(text)],
])('a stream that fails after a comment ends with an event that follows its last one, as %s', async (_, piece) => {
  async function* stream() {
    yield piece('data: {"sequence_number":4}\n\n');
    yield piece(': keep-alive\n\n');
    throw new Error('cut');
  }
  const pieces: string[] = [];
  for await (const each of endingInWords(stream(), (_error, last) => `behind ${String(last)}`))
    pieces.push(String(each));
  expect(pieces.at(-1)).toBe('behind data: {"sequence_number":4}\n\n');
  expect(pieces).toHaveLength(3);
});

it('strings that arrive together are sent as separate events', async () => {
  const texts = ['one', ' "two"', ' grüße', '\n'];
  async function* batches() {
    yield [texts, [' alone']];
  }
  const start = { event: 'start', data: { id: 'chat_1' } } as const;
  const pieces: string[] = [];
  const events = eventStream(start, { batches: batches() }, (each) => ({
    event: 'delta',
    member: 'text',
    texts: each,
  }));
  for await (const piece of events) pieces.push(piece);
  const delta = (text: string) => `event: delta\ndata: ${JSON.stringify({ text })}\n\n`;
  expect(pieces).toEqual(['event: start\ndata: {"id":"chat_1"}\n\n', [...texts, ' alone'].map(delta).join('')]);
});
