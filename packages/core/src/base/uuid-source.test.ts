import { describe, expect, it } from 'vitest';
import { createUuidSource } from './uuid-source.ts';

const hex = (uuid: Uint8Array): string => Buffer.from(uuid).toString('hex');

describe('createUuidSource', () => {
  it('makes UUIDs of version 7 and of the variant of RFC 9562, with the time in front', () => {
    const next = createUuidSource(() => 0x0190_1234_5678);
    for (let count = 0; count < 1_000; count += 1) {
      expect(hex(next())).toMatch(/^0190123456787[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    }
  });

  it('grows while the clock stands still or goes back', () => {
    const times = [5_000, 5_000, 4_000, 1, 5_000, 5_001, 5_001];
    const next = createUuidSource(() => times.shift() ?? 5_001);
    const made = Array.from({ length: 2_000 }, () => hex(next()));
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(made.length);
  });

  it('leaves no bit of the random part at a fixed value', () => {
    const next = createUuidSource();
    let always = ~0n;
    let ever = 0n;
    for (let count = 0; count < 2_000; count += 1) {
      const bits = BigInt(`0x${hex(next())}`);
      always &= bits;
      ever |= bits;
    }
    const random = (1n << 43n) - 1n;
    expect(always & random).toBe(0n);
    expect(ever & random).toBe(random);
  });
});
