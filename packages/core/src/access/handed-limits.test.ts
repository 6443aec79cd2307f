import type { Principal } from '@patchbay/contracts/context';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { faultsBeyond, type KeyLimits, ownLimits, standardLimits } from './handed-limits.ts';

const none: KeyLimits = { expiresAt: null, ipAddresses: null, functions: null, rateLimit: null, budget: null };
const standard = { rateLimit: { requests: 100, seconds: 1, burst: 1_000 }, budget: null };
const caller = (...scopes: Principal['scopes']): Principal => {
  return { id: 'key_1', kind: 'api-key', tenant: tenantId('acme'), scopes, expiresAt: null };
};

const pointers = (key: Partial<KeyLimits>, own: Partial<KeyLimits>, by = caller('*')): readonly string[] =>
  faultsBeyond({ ...none, ...key }, { caller: by, own: { ...none, ...own }, standard }).map(({ pointer }) => pointer);

describe('the limits of a new key', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '10.1.0.0/16', true],
    ['10.1.0.0/16', '10.0.0.0/8', false],
    ['10.1.2.3', '10.1.2.3/32', true],
    ['10.1.2.3', '10.1.2.0/24', false],
    ['10.1.2.3', '11.1.2.3', false],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '10.0.0.1', false],
    ['2001:db8::/32', '2001:db8:1::/48', true],
    ['2001:db8:1::/48', '2001:db8::/32', false],
  ])('of a caller limited to %s may include the address %s: %s', (own, given, isFine) => {
    expect(pointers({ ipAddresses: [given] }, { ipAddresses: [own] })).toEqual(isFine ? [] : ['/ipAddresses/0']);
  });

  it('may allow addresses in any network of the caller, but never every address', () => {
    const ipAddresses = ['10.0.0.0/8', '192.0.2.1'];
    expect(pointers({ ipAddresses: ['192.0.2.1', '10.9.9.9', '192.0.2.2'] }, { ipAddresses })).toEqual([
      '/ipAddresses/2',
    ]);
    expect(pointers({ ipAddresses: null }, { ipAddresses })).toEqual(['/ipAddresses']);
  });

  it.each([
    [{ requests: 10, seconds: 1, burst: 10 }, true],
    [{ requests: 600, seconds: 60, burst: 10 }, true],
    [{ requests: 601, seconds: 60, burst: 10 }, false],
    [{ requests: 1, seconds: 1, burst: 11 }, false],
    [null, false],
  ])('of a caller with 10 requests per second may include the rate limit %j: %s', (rateLimit, isFine) => {
    const own = { rateLimit: { requests: 10, seconds: 1, burst: 10 } };
    expect(pointers({ rateLimit }, own)).toEqual(isFine ? [] : ['/rateLimit']);
  });

  it.each([
    ['month', 31, 'month', 31, true],
    ['month', 31, 'month', 31.5, false],
    ['month', 31, 'day', 1, true],
    ['month', 31, 'day', 1.1, false],
    // All of a month can be spent in one day.
    ['day', 5, 'month', 5, true],
    ['day', 5, 'month', 6, false],
  ] as const)(
    'of a caller with a budget per %s of %d dollars may include one per %s of %d: %s',
    (ownPeriod, ownUsd, period, usd, isFine) => {
      const own = { budget: { usd: ownUsd, period: ownPeriod } };
      expect(pointers({ budget: { usd, period } }, own)).toEqual(isFine ? [] : ['/budget']);
      expect(pointers({ budget: null }, own)).toEqual(['/budget']);
    },
  );

  it('must include a strict budget if the caller has one', () => {
    const budget = { usd: 1, period: 'day' } as const;
    const own = { budget: { ...budget, strict: true } };
    expect(pointers({ budget }, own)).toEqual(['/budget']);
    expect(pointers(own, own)).toEqual([]);
    expect(pointers(own, { budget })).toEqual([]);
  });

  it('cannot include an expiry later than that of the caller', () => {
    const own = { expiresAt: '2027-01-01T00:00:00.000Z' };
    expect(pointers({ expiresAt: own.expiresAt }, own)).toEqual([]);
    expect(pointers({ expiresAt: '2027-01-01T00:00:00.001Z' }, own)).toEqual(['/expiresAt']);
    expect(pointers({ expiresAt: null }, own)).toEqual(['/expiresAt']);
  });

  it('may exceed the defaults only if an administrator without limits creates the key', () => {
    const fast = { rateLimit: { requests: 101, seconds: 1, burst: 1_000 } };
    expect(pointers(fast, {})).toEqual([]);
    expect(pointers(fast, {}, caller('keys:write'))).toEqual(['/rateLimit']);
    expect(pointers({}, {}, caller('keys:write'))).toEqual([]);
    expect(pointers(fast, standard)).toEqual(['/rateLimit']);
    // An explicit limit may be wider than the default, which it replaces.
    expect(pointers({}, { rateLimit: { requests: 500, seconds: 1, burst: 5_000 } }, caller('keys:write'))).toEqual([]);
  });
});

it('a caller without a stored key has the limits of its credentials', () => {
  const rateLimit = { requests: 1, seconds: 1, burst: 1 };
  expect(ownLimits({ ...caller(), limits: { rateLimit } }, undefined)).toEqual({ ...none, rateLimit });
});

it('standardLimits returns none if limits are off', () => {
  const key = { all: { ...standard.rateLimit, off: false }, budget: { usd: 1, period: 'day' } } as never;
  expect(standardLimits({ off: false, key })).toEqual({ ...standard, budget: { usd: 1, period: 'day' } });
  expect(standardLimits({ off: true, key })).toEqual({ rateLimit: null, budget: null });
});
