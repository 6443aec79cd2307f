import { expect, it } from 'vitest';
import { TopLevel } from '../top-level.ts';
import { readOriginalEmbeddings } from './read-original.ts';

const readingOf = (input: unknown) => () => {
  const json = { model: 'openai/embed', input };
  const topLevel = new TopLevel(Buffer.from(JSON.stringify(json)));
  return readOriginalEmbeddings({ topLevel, json, header: () => undefined });
};

it.each([['Hello'], [['Hello', 'you']], [[1, 2]]])('the input of forwarded embeddings may be %j', (input) => {
  expect(readingOf(input)).not.toThrow();
});

it.each([
  [5, { pointer: '/input', code: 'invalid_type', detail: 'must be a string or a list' }],
  [[], { pointer: '/input', code: 'invalid_value', detail: 'must not be an empty list' }],
])('the input of forwarded embeddings must not be %j', (input, error) => {
  expect(readingOf(input)).toThrow(expect.objectContaining({ errors: [error] }));
});
