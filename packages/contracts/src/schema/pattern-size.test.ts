import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { patternSize } from './pattern-size.ts';

const compiled = (pattern: string): number => RE2JS.compile(pattern).programSize();

describe('patternSize', () => {
  it.each([
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
    '^(?:\\+?\\d{1,3}[ -]?)?\\(?\\d{3}\\)?[ -]?\\d{3}[ -]?\\d{4}$',
    "^\\p{L}[\\p{L} .'-]{0,99}$",
    '(a|bb|ccc){40}',
    '(?i)[[:alpha:]]{3,}|\\Q(a{9}\\E{3}',
  ])('estimates the size of %s', (pattern) => {
    expect(patternSize(pattern)).toBeGreaterThanOrEqual(compiled(pattern));
    expect(patternSize(pattern)).toBeLessThan(compiled(pattern) * 3 + 10);
  });

  it('detects patterns that explode', () => {
    expect(patternSize('a{1000}'.repeat(73))).toBeGreaterThan(70_000);
    expect(patternSize('((a{10}){10}){10}')).toBeGreaterThan(1_000);
    expect(patternSize('[](]((a{30}){30})[^])]')).toBeGreaterThan(900);
  });

  it('the bound is never less than the size', () => {
    const parts = [
      'a',
      'é',
      '.',
      '\\d',
      '\\pL',
      '\\p{Greek}',
      '\\x{41}',
      '\\(',
      '\\\\',
      '[a-z]',
      '[]a]',
      '[^]\\]]',
      '[[:alpha:](]',
    ];
    const more = [
      '(',
      '(?:',
      '(?i)',
      '(?P<n>',
      ')',
      '|',
      '*',
      '+?',
      '?',
      '{3}',
      '{2,}',
      '{0,7}',
      '{',
      '\\Q(',
      '\\E',
      '^',
      '$',
    ];
    const all = [...parts, ...more];
    let state = 1;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let valid = 0;
    const wrong: string[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const pattern = Array.from({ length: 1 + next(9) }, () => all[next(all.length)]).join('');
      let size: number;
      try {
        size = compiled(pattern);
      } catch {
        continue;
      }
      valid += 1;
      if (patternSize(pattern) < size) wrong.push(`${pattern}: ${patternSize(pattern)} and not ${size}`);
    }
    expect(wrong).toEqual([]);
    expect(valid).toBeGreaterThan(3_000);
  });
});
