import type { JsonValue } from '@patchbay/contracts/json';
import { describe, expect, it } from 'vitest';
import { applyRules, compileRules, type Removed, rulePattern, scrubOf } from './redaction-rules.ts';

function apply(value: JsonValue, ...rules: readonly string[]) {
  const removed: Removed = { pointers: [], values: new Set() };
  const document = applyRules(value, compileRules(rules), '', removed);
  return { document, pointers: removed.pointers, values: [...removed.values] };
}

describe('redaction rules', () => {
  it.each<[string, readonly string[], JsonValue, readonly string[]]>([
    ['a member', ['/input/email'], { input: { email: '[redacted]', name: 'Ada' }, list: [{ a: 1 }] }, ['/input/email']],
    ['a whole object', ['/input'], { input: '[redacted]', list: [{ a: 1 }] }, ['/input']],
    ['an item', ['/list/0'], { input: { email: 'a@b.c', name: 'Ada' }, list: ['[redacted]'] }, ['/list/0']],
    [
      'every member and item',
      ['/*/*'],
      { input: { email: '[redacted]', name: '[redacted]' }, list: ['[redacted]'] },
      ['/input/email', '/input/name', '/list/0'],
    ],
    [
      'what two rules both name',
      ['/*/email', '/input/*'],
      { input: { email: '[redacted]', name: '[redacted]' }, list: [{ a: 1 }] },
      ['/input/email', '/input/name'],
    ],
    [
      'nothing that is not there',
      ['/output/x', '/list/0/b/c'],
      { input: { email: 'a@b.c', name: 'Ada' }, list: [{ a: 1 }] },
      [],
    ],
  ])('remove %s', (_, rules, document, pointers) => {
    const given = { input: { email: 'a@b.c', name: 'Ada' }, list: [{ a: 1 }] };
    expect(apply(given, ...rules)).toMatchObject({ document, pointers });
  });

  it('name members with slashes and tildes as JSON Pointers do', () => {
    expect(apply({ 'a/b': 1, 'c~d': 2 }, '/a~1b', '/c~0d').pointers).toEqual(['/a~1b', '/c~0d']);
  });

  it('collect the strings and longer numbers that they remove', () => {
    const given = { a: { b: 'text', c: [12, 34_567, true, null, ''] } };
    expect(apply(given, '/a').values).toEqual(['text', '34567']);
  });

  it.each(['/a', '/a/*/b', '/messages/*/content', '/a~1b/~0', '/'])('include %s', (rule) => {
    expect(new RegExp(rulePattern).test(rule)).toBe(true);
  });

  it.each(['', 'a', 'a/b', '$.a', '/a~2', '/a~'])('do not include %j', (rule) => {
    expect(new RegExp(rulePattern).test(rule)).toBe(false);
  });
});

describe('what was removed', () => {
  it.each([
    ['as it is', 'write to ada@example.com!', 'write to [redacted]!'],
    ['in JSON', '{"name":"Ada \\"the first\\""}', '{"name":"[redacted]"}'],
    ['in JSON within JSON', '"{\\"name\\":\\"Ada \\\\\\"the first\\\\\\"\\"}"', '"{\\"name\\":\\"[redacted]\\"}"'],
    ['as a whole word if it is short', 'yes, eyes: yes', '[redacted], eyes: [redacted]'],
  ])('is removed from strings %s', (_, text, expected) => {
    expect(scrubOf(new Set(['ada@example.com', 'Ada "the first"', 'yes']), 100)?.(text)).toBe(expected);
  });

  it('is not searched for if there is too much of it', () => {
    const values = new Set(Array.from({ length: 201 }, (_, index) => `value ${index}`));
    expect(scrubOf(values, 10)).toBeUndefined();
    expect(scrubOf(new Set(['value']), 100_000_000)).toBeUndefined();
  });
});
