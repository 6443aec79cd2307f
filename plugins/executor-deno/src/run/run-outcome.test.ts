import { describe, expect, it } from 'vitest';
import { jsonDepth, parseOutput } from './json-document.ts';

describe('jsonDepth', () => {
  it('counts brackets outside of strings', () => {
    const depths: Readonly<Record<string, number>> = {
      '1': 0,
      '{}': 1,
      '[[],{"a":[]}]': 3,
      '"[[["': 0,
      '["\\"[[", [1]]': 2,
      '["\\\\", [1]]': 2,
    };
    for (const [text, depth] of Object.entries(depths)) expect(jsonDepth(Buffer.from(text))).toBe(depth);
  });

  it('takes a million levels', () => {
    expect(jsonDepth(Buffer.from('['.repeat(1_000_000)))).toBe(1_000_000);
  });
});

describe('parseOutput', () => {
  it('takes objects of at most 64 levels', () => {
    const nested = (levels: number): Buffer => Buffer.from(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
    expect(parseOutput(nested(64)).kind).toBe('text');
    expect(parseOutput(nested(65)).kind).toBe('too_deep');
    for (const text of ['', 'null', '[]', '"a"', '1', '{', '{}x', '\ufeff{}']) {
      expect(parseOutput(Buffer.from(text))).toEqual({ kind: 'not_an_object' });
    }
  });
});
