import { expect, it } from 'vitest';
import { TopLevel } from '../top-level.ts';
import { readOriginalEmbeddings } from './read-original.ts';

it.each([
  ['Hello', undefined],
  [['Hello', 'you'], undefined],
  [[1, 2], undefined],
  [5, { pointer: '/input', code: 'invalid_type', detail: 'must be a string or a list' }],
  [[], { pointer: '/input', code: 'invalid_value', detail: 'must not be an empty list' }],
])('the input %j of forwarded embeddings is read, or refused with %j', (input, error) => {
  const json = { model: 'openai/embed', input };
  const read = () =>
    readOriginalEmbeddings({
      topLevel: new TopLevel(Buffer.from(JSON.stringify(json))),
      json,
      header: () => undefined,
    });
  if (error) expect(read).toThrow(expect.objectContaining({ errors: [error] }));
  else expect(read).not.toThrow();
});
