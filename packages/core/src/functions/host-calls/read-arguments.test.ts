import { expect, it } from 'vitest';
import { readArguments } from './read-arguments.ts';

it.each([
  ['{"a":', 'invalid_json'],
  ['{"maxTokens":1e999}', 'invalid_json'],
  ['[[-1e999]]', 'invalid_json'],
  ['"\\u0000"', 'unsupported_unicode'],
  ['['.repeat(65) + ']'.repeat(65), 'too_deep'],
  [`[${'1,'.repeat(100_000)}1]`, 'too_deep'],
])('arguments are refused as the body of a request would be: %.20s', async (text, code) => {
  await expect(readArguments(text)).rejects.toMatchObject({ code });
});

it('arguments at the limits are accepted', async () => {
  const text = `${'['.repeat(64)}1e308${']'.repeat(64)}`;
  expect(await readArguments(text)).toEqual(JSON.parse(text));
});
