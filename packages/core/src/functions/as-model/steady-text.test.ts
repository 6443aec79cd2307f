import type { JsonObject } from '@patchbay/contracts/json';
import { describe, expect, it } from 'vitest';
import { WrittenText } from './written-text.ts';

/** The pieces of outputs that a generator yields one after the other, the last of which is its output. */
function piecesOf(...outputs: readonly JsonObject[]): readonly string[] {
  const written = new WrittenText();
  return [...outputs.map((output) => written.replace(output)), written.end(outputs.at(-1) ?? {})];
}

describe('the text of outputs that replace each other', () => {
  it.each<[string, readonly JsonObject[], readonly string[]]>([
    ['text that grows', [{ a: 'x' }, { a: 'xy' }], ['{"a":"x', 'y', '"}']],
    [
      'text before a number that changes',
      [
        { a: 'x', n: 1 },
        { a: 'xy', n: 2 },
      ],
      ['{"a":"x', 'y', '","n":2}'],
    ],
    ['text behind text', [{ a: 'x' }, { a: 'x', b: 'y' }, { a: 'x', b: 'yz' }], ['{"a":"x', '","b":"y', 'z', '"}']],
    [
      'text beside a number',
      [
        { a: 'x', n: 1 },
        { a: 'x', n: 2 },
        { a: 'xy', n: 3 },
      ],
      ['{"a":"x', '', 'y', '","n":3}'],
    ],
    ['the same twice', [{ a: 'x' }, { a: 'x' }, { a: 'xy' }], ['{"a":"x', '', 'y', '"}']],
    ['a list that was empty', [{ l: [] }, { l: ['x'] }], ['{"l":[', '"x', '"]}']],
    ['numbers', [{ n: 1 }, { n: 12 }, { n: 2 }], ['{"n":', '', '', '2}']],
    [
      'a number that stays',
      [
        { n: 1, a: 'x' },
        { n: 1, a: 'xy' },
      ],
      ['{"n":', '1,"a":"xy', '"}'],
    ],
    ['lists', [{ l: ['x'] }, { l: ['x', 'y'] }], ['{"l":["x', '","y', '"]}']],
    ['objects that are closed', [{ l: [{}] }, { l: [{}, {}] }, { l: [{}, {}, {}] }], ['{"l":[{', '},{', '},{', '}]}']],
    ['half a character', [{ a: 'x\ud83d' }, { a: 'x😀' }], ['{"a":"x', '😀', '"}']],
    ['quotes and breaks', [{ a: '"' }, { a: '"\\\n' }], ['{"a":"\\"', '\\\\\\n', '"}']],
    ['nothing', [{}, {}], ['{', '', '}']],
  ])('consists of pieces that add up to the whole: %s', (_, outputs, pieces) => {
    expect(piecesOf(...outputs)).toEqual(pieces);
    expect(pieces.join('')).toBe(JSON.stringify(outputs.at(-1)));
  });

  it('fails at its end if a part that was already sent is replaced', () => {
    expect(() => piecesOf({ a: 'xy' }, { a: 'z' })).toThrow(
      expect.objectContaining({ code: 'function_output_invalid' }),
    );
    expect(piecesOf({ a: 'xy' }, { a: 'z' }, { a: 'xyz' })).toEqual(['{"a":"xy', '', '', 'z"}']);
  });
});
