import { SourceMap } from 'node:module';
import { describe, expect, it } from 'vitest';
import { ownMappings } from './own-mappings.ts';

// Of the first source at 0:0 and 1:0, of the second one at 0:4, and a place of no source at 0:8.
const both = 'AAAA,ICCG,I;ADAF';

function placesIn(mappings: string): readonly unknown[] {
  const sources = ['own'];
  const map = new SourceMap({ version: 3, file: '', sources, sourcesContent: [], names: [], mappings, sourceRoot: '' });
  return [
    [0, 0],
    [0, 5],
    [0, 9],
    [1, 2],
  ].map(([line = 0, column = 0]) => {
    const entry = map.findEntry(line, column);
    return 'originalLine' in entry && entry.originalSource === 'own'
      ? [entry.originalLine, entry.originalColumn]
      : undefined;
  });
}

describe('own mappings', () => {
  it('lead to one source, and from the others nowhere', () => {
    expect(placesIn(ownMappings(both, { source: 0 }) ?? '')).toEqual([[0, 0], undefined, undefined, [1, 1]]);
    expect(placesIn(ownMappings(both, { source: 1 }) ?? '')).toEqual([undefined, [1, 3], undefined, undefined]);
    expect(ownMappings(both, { source: 2 })).toBe('');
  });

  it('move the lines below one that was inserted', () => {
    const four = 'AAAA;AACA;AACA;AACA';
    expect(placesIn(ownMappings(four, { source: 0, insertedLine: 1 }) ?? '')).toMatchObject([
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(ownMappings('AAAA;AACA;AACA', { source: 0, insertedLine: 2 })).toBe('AAAA;AACA;AAAA;');
  });

  it.each(['!', 'AAA', 'AAAAAA', 'ADAA', 'g', 'gggggggggggggggA', '\u{1f600}'])('are not %j', (mappings) => {
    expect(ownMappings(mappings, { source: 0 })).toBeUndefined();
  });
});
