import { describe, expect, it } from 'vitest';
import { extractJson } from './object-strategy.ts';

const found: readonly [string, string, boolean][] = [
  ['plain', '{"a":1}', false],
  ['with white space around it', ' \n{"a":1}\n', false],
  ['between fences', '```json\n{"a":1}\n```', true],
  ['within prose', 'Here you are: {"a":1}. Anything else?', true],
  ['with a comma at the end', '{"a":1,}', true],
  ['with other quotes', "{'a': 1}", true],
  ['with brackets in a string', 'So: {"a":1,"b":"} {"} done', true],
];

describe('extractJson', () => {
  it.each(found)('finds an object %s', async (_, text, repaired) => {
    expect(await extractJson(text)).toMatchObject({ value: { a: 1 }, repaired });
  });

  it.each([
    ['nothing', ''],
    ['no object', 'I cannot do that.'],
    ['a cut object', '{"a":1,"b":[1,2'],
    ['a cut string', '{"a":"one'],
    ['a NUL character', '{"a":"\\u0000"}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['too deep a value', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`],
  ])('returns nothing for %s', async (_, text) => {
    expect(await extractJson(text)).toBeUndefined();
  });
});
