import { describe, expect, it } from 'vitest';
import { cutBytes, plainText } from './protocol.ts';

describe('plainText', () => {
  it('plain text is one line without control characters', () => {
    expect(plainText('a\r\n  b\u2028c\td', 100)).toBe('a b c d');
    expect(plainText('\u001b[31;1mred\u001b[0m \u001b]0;title\u0007x\u001bcy', 100)).toBe('red xy');
    expect(plainText('a\u0000\u0085b\u202ec\u200bd\ufeff', 100)).toBe('a bcd');
    expect(plainText('x\ud800y', 100)).toBe('x\ufffdy');
  });

  it('text is cut at a whole character', () => {
    expect(plainText('ééé', 5)).toBe('éé');
    expect(cutBytes('a😀', 4)).toBe('a');
    expect(cutBytes('a😀', 5)).toBe('a😀');
    expect(cutBytes('é', 0)).toBe('');
    expect(cutBytes('é', -1)).toBe('');
  });
});
