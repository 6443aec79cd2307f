import { describe, expect, it } from 'vitest';
import { hasUnsupportedUnicode } from './check-json.ts';

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
