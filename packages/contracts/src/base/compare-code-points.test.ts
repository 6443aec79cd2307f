import { describe, expect, it } from 'vitest';
import { compareCodePoints } from './compare-code-points.ts';

describe('compareCodePoints', () => {
  it('orders as the bytes of UTF-8 do', () => {
    const texts = ['', 'A', 'Z', 'a', 'aa', 'ab', 'é', 'z', '\uffee', '\ue000', '😀', '😁', 'a😀', 'a\uffee', '𐀀'];
    const byBytes = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect([...texts].reverse().sort(compareCodePoints)).toEqual(byBytes);
    expect([...texts].sort()).not.toEqual(byBytes);
  });

  it('returns 0 for equal strings', () => {
    expect(compareCodePoints('a😀', 'a😀')).toBe(0);
  });
});
