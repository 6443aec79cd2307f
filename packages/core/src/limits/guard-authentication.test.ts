import { PatchbayError } from '@patchbay/contracts/errors';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { guardAuthentication, networkOf } from './guard-authentication.ts';

const limit = { requests: 30, seconds: 60, burst: 30, off: false };

/** Accepts tokens that begin with `good`; everything else is refused, or `down`. */
function setUp(off = false) {
  const clock = createStoppedClock();
  const state = { verified: 0, isDown: false, revoked: '' };
  const authenticate = guardAuthentication(
    async ({ token = '' }) => {
      state.verified += 1;
      if (token === 'down' || state.isDown) throw new PatchbayError('storage_unavailable', 'the storage is down');
      if (!token.startsWith('good') || token === state.revoked)
        throw new PatchbayError('invalid_token', 'the credentials are not valid');
      return { id: token, kind: 'api-key', tenant: tenantId('a'), scopes: [] };
    },
    { ...limit, off },
    clock,
  );
  const codeOf = async (token: string, remoteAddress = '192.0.2.1'): Promise<string> => {
    try {
      return (await authenticate({ token, remoteAddress })).id;
    } catch (error) {
      return (error as PatchbayError).code;
    }
  };
  const guess = async (count: number, address?: string) => {
    const codes: string[] = [];
    for (let index = 0; index < count; index += 1) codes.push(await codeOf(`guess ${index}`, address));
    return codes.filter((code) => code === 'rate_limited').length;
  };
  return { clock, state, authenticate, codeOf, guess };
}

describe('guessing credentials', () => {
  it('a network is refused after the burst, without a lookup', async () => {
    const { guess, state } = setUp();
    expect(await guess(100)).toBe(70);
    expect(state.verified).toBe(30);
  });

  it('the limit sets the pace of further attempts, and the refusal says when', async () => {
    const { clock, guess, authenticate } = setUp();
    await guess(30);
    const error = await authenticate({ token: 'x', remoteAddress: '192.0.2.1' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'rate_limited', retryAfter: 2 });
    clock.advance(1_999);
    expect(await guess(1)).toBe(1);
    clock.advance(1);
    expect(await guess(2)).toBe(1);
    clock.advance(60_000);
    expect(await guess(30)).toBe(0);
  });

  it('concurrent attempts are limited as well', async () => {
    const { codeOf, guess } = setUp();
    await guess(1);
    const codes = await Promise.all(Array.from({ length: 2_000 }, (_, index) => codeOf(`guess ${index}`)));
    expect(codes.filter((code) => code !== 'rate_limited')).toHaveLength(29);
  });

  it('other networks are not affected', async () => {
    const { codeOf, guess } = setUp();
    await guess(100);
    expect(await codeOf('good', '192.0.2.2')).toBe('good');
    expect(await codeOf('bad', '192.0.2.2')).toBe('invalid_token');
  });

  it('a key that was accepted before the first guess is let in', async () => {
    const { codeOf, guess, state } = setUp();
    expect(await codeOf('good one')).toBe('good one');
    expect(await guess(400)).toBe(370);
    expect(await codeOf('good one')).toBe('good one');
    expect(state.verified).toBe(1 + 30 + 1);
  });

  it('a known key stays known while it cannot be verified', async () => {
    const { state, codeOf, guess } = setUp();
    await codeOf('good one');
    await guess(100);
    state.isDown = true;
    expect(await codeOf('good one')).toBe('storage_unavailable');
    state.isDown = false;
    expect(await codeOf('good one')).toBe('good one');
  });

  it('a revoked key counts as a guess', async () => {
    const { state, codeOf, guess } = setUp();
    await codeOf('good one');
    state.revoked = 'good one';
    expect(await codeOf('good one')).toBe('invalid_token');
    expect(await guess(30)).toBe(1);
    expect(await codeOf('good one')).toBe('rate_limited');
  });

  it('a key in use stays in memory, however many others are accepted', async () => {
    const { codeOf, guess } = setUp();
    await codeOf('good one');
    for (let index = 0; index < 20_000; index += 1) {
      await codeOf(`good ${index}`, '198.51.100.1');
      if (index % 5_000 === 0) await codeOf('good one');
    }
    await guess(100);
    expect(await codeOf('good one')).toBe('good one');
    expect(await codeOf('good 0')).toBe('rate_limited');
  });

  it('a caller who was let in from the same address before is let in', async () => {
    const { codeOf, guess } = setUp();
    await guess(1);
    expect(await codeOf('good one')).toBe('good one');
    await guess(100);
    expect(await codeOf('good one')).toBe('good one');
    expect(await codeOf('good two')).toBe('rate_limited');
  });

  it('all addresses of an IPv6 network count as one', async () => {
    const { codeOf } = setUp();
    for (let index = 0; index < 30; index += 1) await codeOf('guess', `2001:db8::${index.toString(16)}`);
    expect(await codeOf('guess', '2001:db8::ffff:1')).toBe('rate_limited');
    expect(await codeOf('guess', '2001:db8:0:1::1')).toBe('invalid_token');
  });

  it('a failure on our side and a valid credential do not count as guesses', async () => {
    const { codeOf, guess } = setUp();
    await guess(1);
    for (let index = 0; index < 100; index += 1) {
      expect(await codeOf('down')).toBe('storage_unavailable');
      expect(await codeOf(`good ${index}`)).toBe(`good ${index}`);
    }
    expect(await guess(29)).toBe(0);
    expect(await guess(1)).toBe(1);
  });

  it('guesses are not limited if the limit is off', async () => {
    expect(await setUp(true).guess(100)).toBe(0);
  });
});

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['2001:db8:1::', '2001:db8:1:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s belongs to %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
