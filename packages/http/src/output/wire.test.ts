import { expect, it } from 'vitest';
import { endingInWords } from './wire.ts';

it.each([
  ['a text', (text: string) => text],
  ['bytes', (text: string) => Buffer.from(text)],
])('a stream that fails behind a comment ends with an event that follows its last one, as %s', async (_, piece) => {
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
