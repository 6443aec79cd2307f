import { describe, expect, it } from 'vitest';
import { hasUnsupportedUnicode, isDeeperThan } from './json-text.ts';

describe('isDeeperThan', () => {
  it('counts arrays and objects, and not what is in strings', () => {
    expect(isDeeperThan('[[[]]]', 3)).toBe(false);
    expect(isDeeperThan('[[{}]]', 2)).toBe(true);
    expect(isDeeperThan('{"a":"[[[[","b":"\\"[[["}', 1)).toBe(false);
    expect(isDeeperThan('"\\\\",[[', 1)).toBe(true);
  });

  it('does not overflow on a million brackets', () => {
    expect(isDeeperThan('['.repeat(1_000_000), 64)).toBe(true);
    expect(isDeeperThan('[]'.repeat(1_000_000), 64)).toBe(false);
  });
});

describe('hasUnsupportedUnicode', () => {
  it.each(['"\\u0000"', '{"\\u0000":1}', '"\\ud800"', '["\\uDFFF x"]', '"\\ude00\\ud83d"'])('finds %s', (text) => {
    expect(hasUnsupportedUnicode(text)).toBe(true);
  });

  it.each(['"😀"', '"\\ud83d\\ude00"', '"\\\\u0000"', '"\\\\ud800"', '"\\u0001"', '{"a":"b"}'])(
    'accepts %s',
    (text) => {
      expect(hasUnsupportedUnicode(text)).toBe(false);
    },
  );

  it('finds raw characters', () => {
    expect(hasUnsupportedUnicode('"a\0"')).toBe(true);
    expect(hasUnsupportedUnicode(`"${'\ud83d'}"`)).toBe(true);
  });
});
