import { expect, it } from 'vitest';
import { jsonTexts } from './json-texts.ts';

it.each([
  ['plain', ['one', ' two', '']],
  ['with something to escape', ['one', 'a "quote"', 'back\\slash', 'line\n', '\u0000\u001f']],
  ['of other scripts', ['grüße', '日本語', '\u007f\u2028', '\uFFFD']],
  ['with characters beyond the basic plane', ['🚀', '👩‍🚀']],
  ['of a character that was cut in two', ['\ud83d', '\ude80']],
])('texts %s are written as JSON writes each of them', (_, texts) => {
  expect(jsonTexts(texts, '<', '>')).toBe(texts.map((text) => `<${JSON.stringify(text)}>`).join(''));
});

it('texts in documents are read back as they were', () => {
  const texts = ['one', '{"x":"y"}', 'three'];
  const lines = jsonTexts(texts, '{"text":', '}\n').trimEnd().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual(texts.map((text) => ({ text })));
});
