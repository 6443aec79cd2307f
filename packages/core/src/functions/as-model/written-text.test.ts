import type { JsonObject } from '@patchbay/contracts/json';
import { describe, expect, it } from 'vitest';
import { partialObject } from '../../gateway/object/partial-object.ts';
import { WrittenText } from './written-text.ts';

/** Every piece of an output that arrives character by character. */
function piecesOf(output: JsonObject, text = JSON.stringify(output)): readonly string[] {
  const written = new WrittenText();
  const pieces = Array.from(text, (_, index) => {
    const partial = partialObject(text.slice(0, index + 1));
    return partial ? written.grow(partial) : '';
  });
  return [...pieces, written.end(output)].filter((piece) => piece !== '');
}

describe('the text of an output that grows', () => {
  it.each([
    [{}],
    [{ text: 'Grüße 👋 "quoted"\n\\', other: '' }],
    [{ list: [1, 22, { a: null, b: [true, false] }, [], 'x'], empty: {}, number: -1.5e-7 }],
    [{ '10': 'a', '2': 'b' }],
    [{ nested: { '2': 'b', '1': 'a' }, after: 'x' }],
  ])('adds up to the text of the whole: %j', (output: JsonObject) => {
    expect(piecesOf(output).join('')).toBe(JSON.stringify(output));
    expect(piecesOf(output, `\`\`\`json\n${JSON.stringify(output, null, 2)}\n\`\`\``).join('')).toBe(
      JSON.stringify(output),
    );
  });

  it('is sent while it is written, not only at its end', () => {
    expect(piecesOf({ text: 'abc', n: 12 })).toEqual(['{', '"text":"', 'a', 'b', 'c', '","n":12', '}']);
  });

  it('continues if a second attempt writes the same text again', () => {
    const written = new WrittenText();
    expect(written.grow({ text: 'abc' })).toBe('{"text":"abc');
    expect(written.grow({ text: 'a' })).toBe('');
    expect(written.grow({ text: 'abcd' })).toBe('d');
    expect(written.end({ text: 'abcd', title: 'x' })).toBe('","title":"x"}');
  });

  it('fails if a different text is begun', () => {
    const written = new WrittenText();
    written.grow({ text: 'abc' });
    const anew = expect.objectContaining({ code: 'function_output_invalid' });
    expect(() => written.grow({ text: 'x' })).toThrow(anew);
    expect(() => written.end({ text: 'ab' })).toThrow(anew);
  });
});
