import { expect, it } from 'vitest';
import { TopLevel } from '../top-level.ts';
import { readOriginalChat } from './read-original.ts';

it('the content of a forwarded message can be a string, a list or null', () => {
  const readWith = (content: unknown) => () => {
    const json = { model: 'openai/large', messages: [{ role: 'user', content }] };
    return readOriginalChat({
      topLevel: new TopLevel(Buffer.from(JSON.stringify(json))),
      json,
      header: () => undefined,
    });
  };
  for (const content of ['Hello', [{ type: 'text', text: 'Hello' }], null]) expect(readWith(content)).not.toThrow();
  const error = { pointer: '/messages/0/content', code: 'invalid_type', detail: 'must be a string or a list' };
  expect(readWith(5)).toThrow(expect.objectContaining({ errors: [error] }));
});
