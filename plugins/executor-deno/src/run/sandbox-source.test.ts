import { describe, expect, it } from 'vitest';
import { IsolationRules } from '../deno-executor.ts';
import { failure } from './protocol.ts';
import { tookMuch } from './sandbox-source.ts';

const identity = (functionId: string, functionName?: string) => ({
  functionId,
  ...(functionName === undefined ? {} : { functionName }),
});

describe('IsolationRules', () => {
  it('the first rule that names a function by id or name counts', () => {
    const rules = new IsolationRules('fresh', [
      { match: ['function_1'], isolation: 'cold' },
      { match: ['Summarize *', 'function_*'], isolation: 'reuse' },
    ]);
    expect(rules.of(identity('function_1', 'Summarize Text'))).toBe('cold');
    expect(rules.of(identity('function_2'))).toBe('reuse');
    expect(rules.of(identity('x', 'Summarize Text'))).toBe('reuse');
    expect(rules.of(identity('x', 'summarize text'))).toBe('fresh');
    expect(rules.of(identity('x'))).toBe('fresh');
    expect(rules.uses('cold')).toBe(true);
    expect(new IsolationRules('fresh').uses('cold', 'reuse')).toBe(false);
  });

  it('all characters but the star are literal, and the whole name must match', () => {
    const rules = new IsolationRules('fresh', [{ match: ['a.b+(c)*', '***x'], isolation: 'reuse' }]);
    expect(rules.of(identity('a.b+(c)'))).toBe('reuse');
    expect(rules.of(identity('a.b+(c) and\nmore'))).toBe('reuse');
    expect(rules.of(identity('axb+(c)'))).toBe('fresh');
    expect(rules.of(identity('the a.b+(c)'))).toBe('fresh');
    expect(rules.of(identity('anything x'))).toBe('reuse');
  });
});

describe('tookMuch', () => {
  it.each([
    ['memory_limit', true],
    ['output_too_large', true],
    ['cpu_limit', true],
    ['call_limit', true],
    ['wall_limit', false],
    ['function_threw', false],
  ] as const)('a run that ended with %s: %s', (reason, expected) => {
    expect(tookMuch(failure(reason, ''))).toBe(expected);
  });
});
