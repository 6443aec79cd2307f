import { expect, it } from 'vitest';
import { readArguments } from './read-arguments.ts';

it.each([
  ['{"a":', 'invalid_json'],
  ['{"maxTokens":1e999}', 'invalid_json'],
  ['[[-1e999]]', 'invalid_json'],
  ['"\\u0000"', 'unsupported_unicode'],
  ['['.repeat(65) + ']'.repeat(65), 'too_deep'],
])('refuses %s as the body of a request would be', (text, code) => {
  expect(() => readArguments(text)).toThrow(expect.objectContaining({ code }));
});

it('takes everything else', () => {
  const text = `${'['.repeat(64)}1e308${']'.repeat(64)}`;
  expect(readArguments(text)).toEqual(JSON.parse(text));
});
