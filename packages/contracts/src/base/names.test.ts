import { describe, expect, it } from 'vitest';
import { didYouMean } from './names.ts';

const known = ['storage', 'executor', 'providers', 'rateLimiter', 'use', 'with', 'name'];

describe('didYouMean', () => {
  it.each([
    ['storrage', 'storage'],
    ['provider', 'providers'],
    ['ratelimiter', 'rateLimiter'],
    ['wiht', 'with'],
    ['user', 'use'],
    ['rate_limiter', 'rateLimiter'],
    ['Rate-Limiter', 'rateLimiter'],
    ['srotage', 'storage'],
    ['nmae', 'name'],
  ])('the name that %s is a typo of is suggested', (given, meant) => {
    expect(didYouMean(given, known)).toBe(`; did you mean "${meant}"?`);
  });

  it.each(['database', 'x', '', 'colour', '__proto__', 'n'.repeat(1_000), 'pipe', 'storage'])(
    'suggests nothing for %.20j',
    (given) => {
      expect(didYouMean(given, known)).toBe('');
    },
  );

  it('no name is suggested if none is known', () => {
    expect(didYouMean('storage', [])).toBe('');
  });
});
