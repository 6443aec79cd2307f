import { expect, it } from 'vitest';
import { GrowingText } from './message-content.ts';

it.each([0, 1, 63, 64, 65, 200])('a growing text has all of its %d pieces, even if it was read before', (count) => {
  const pieces = Array.from({ length: count }, (_, index) => `${index} `);
  const [often, once] = [new GrowingText('from '), new GrowingText('from ')];
  for (const piece of pieces) {
    once.add(piece);
    often.add(piece);
    void often.text;
  }
  expect([often.text, once.text]).toEqual(Array(2).fill(`from ${pieces.join('')}`));
});
