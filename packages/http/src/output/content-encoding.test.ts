import { describe, expect, it } from 'vitest';
import { chooseEncoding } from './content-encoding.ts';

describe('the encoding of a response', () => {
  it.each([
    ['br', 'gzip, deflate, br'],
    ['gzip', 'br;q=0, GZIP;q=0.5'],
    [undefined, 'br; q=0.000, gzip;q=0'],
    [undefined, 'identity'],
    [undefined, undefined],
  ])('is %s for a client that accepts %s', (encoding, accepted) => {
    expect(chooseEncoding(accepted)).toBe(encoding);
  });
});
