import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from './match-pattern.ts';
import { parsePattern } from './parse-pattern.ts';
import { samplesOf } from './sample-pattern.ts';

const atoms = ['a', 'b', '.', '\\d', '\\W', '[ab]', '[^a-c]', '[\\d_]', '\\.', 'é', '\\n'];
const quantifiers = ['', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '+?'];

const expressions = fc.letrec<{ all: string }>((tie) => {
  const atom = fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom(...atoms),
    tie('all').map((inner) => `(${inner})`),
    tie('all').map((inner) => `(?:${inner})`),
  );
  const part = fc.tuple(atom, fc.constantFrom(...quantifiers)).map(([one, times]) => one + times);
  const sequence = fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(''));
  const anchored = fc
    .tuple(fc.constantFrom('', '^'), sequence, fc.constantFrom('', '$'))
    .map((parts) => parts.join(''));
  return { all: fc.array(anchored, { minLength: 1, maxLength: 2 }).map((options) => options.join('|')) };
}).all;

const matches = (pattern: string, text: string): boolean | undefined => {
  const parsed = parsePattern(pattern);
  return parsed && matchesPattern(parsed, text);
};

describe('a pattern', () => {
  it('matches what a regular expression matches', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '.', 'é', '\n', '😀'), maxLength: 6 });
    fc.assert(
      fc.property(expressions, text, (expression, value) => {
        fc.pre(expression.length <= 80);
        expect(matches(expression, value)).toBe(new RegExp(expression, 'u').test(value));
      }),
      { numRuns: 3_000, seed: 20_261_121, endOnFailure: true },
    );
  });

  it('is only read where all of it is understood', () => {
    const strange = [
      '(?=a)',
      '(?!a)',
      '(?<=a)',
      '(?i)a',
      '\\1',
      '\\b',
      '\\p{L}',
      '[[:alpha:]]',
      '[\\D]',
      '\\x41',
      '\\',
    ];
    const broken = ['(', ')', '(a', '[a', 'a{2,1}', 'a{', 'a**', '*', '+a', 'a{1}{2}', 'x{9999}'];
    const large = ['(?:a{100}){100}', '((((a{9}){9}){9}){9})'];
    for (const expression of [...strange, ...broken, ...large]) {
      expect(parsePattern(expression), expression).toBeUndefined();
    }
  });

  it('takes no exponential time', () => {
    expect(matches('^(?:a+)+$', `${'a'.repeat(900)}!`)).toBe(false);
    expect(matches('^(?:a|a?)*(?:a|a?)*b$', 'a'.repeat(300))).toBe(false);
    expect(parsePattern(`${'('.repeat(200)}a${')*'.repeat(200)}`)).toBeDefined();
  });

  it('takes a text of more than 1,000 characters for one that does not match', () => {
    expect(matches('a', 'a'.repeat(1_000))).toBe(true);
    expect(matches('a', 'a'.repeat(1_001))).toBe(false);
  });
});

describe('samples', () => {
  it('match the patterns that people write', () => {
    const expressions = [
      '^[A-Z]{3}-\\d{4,6}$',
      '^\\+?[1-9]\\d{1,14}$',
      '^#(?:[0-9a-fA-F]{3}){1,2}$',
      '^(?P<year>\\d{4})-(?<month>0[1-9]|1[0-2])$',
      '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
      '^(?:yes|no)$',
      '[\\]\\-]',
      '^.{10,}$',
    ];
    for (const expression of expressions) {
      const parsed = parsePattern(expression);
      const [first] = parsed ? samplesOf(parsed) : [];
      expect(first, expression).toMatch(new RegExp(expression.replace('?P<', '?<')));
    }
  });

  it('grow, and go through the options', () => {
    const samples = [...samplesOf(parsePattern('^(?:ab*|[x]+)$') as NonNullable<ReturnType<typeof parsePattern>>)];
    expect(samples.slice(0, 3)).toEqual(['a', 'ab', 'abb']);
    expect(samples).toContain('xx');
    expect(Math.max(...samples.map((text) => text.length))).toBe(257);
  });
});
