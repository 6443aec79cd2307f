import { inspect } from 'node:util';
import { canary } from '@patchbay/canaries';
import { describe, expect, it } from 'vitest';
import { createClientAddress, readCredentials } from './caller.ts';

const request = (remoteAddress: string | undefined, forwarded?: string) => ({
  remoteAddress,
  header: (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined),
});

describe('the address of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, undefined],
  ])('comes from the socket: %s', (socket, expected) => {
    expect(createClientAddress()(request(socket, '203.0.113.9'))).toBe(expected);
    expect(createClientAddress(['10.0.0.0/8'])(request(socket, '203.0.113.9'))).toBe(expected);
  });

  const trusting = createClientAddress(['10.0.0.0/8', 'fd00::/8']);

  it.each([
    ['the address that a proxy saw', '203.0.113.9', '203.0.113.9'],
    ['not what the client claimed itself', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['the one before all proxies', '198.51.100.1, 203.0.113.9, 10.0.0.2, fd00::2', '203.0.113.9'],
    ['a proxy itself, where it is the client', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['with a port behind it', '203.0.113.9:4711', '203.0.113.9'],
    ['in brackets with a port', '[2001:db8::1]:4711', '2001:db8::1'],
    ['of version 4 in version 6', '::ffff:203.0.113.9', '203.0.113.9'],
    ['not what is no address', '203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['the proxy, where it says nothing', '', '10.0.0.1'],
    ['the proxy, where it says nothing that is one', 'unknown', '10.0.0.1'],
  ])('behind proxies: %s', (_, header, expected) => {
    expect(trusting(request('10.0.0.1', header))).toBe(expected);
  });

  it('falls back to the proxy without the header', () => {
    expect(trusting(request('::ffff:10.0.0.1'))).toBe('10.0.0.1');
  });

  it('stops at the hop limit of a long header', () => {
    const header = `203.0.113.9, ${Array.from({ length: 1_000 }, () => '10.0.0.2').join(', ')}`;
    expect(trusting(request('10.0.0.1', header))).toBe('10.0.0.2');
  });
});

const requestWith = (headers: Readonly<Record<string, string>>) => ({
  header: (name: string) => headers[name],
  headerCount: (name: string) => (name in headers ? 1 : 0),
  method: 'GET',
  target: '/functions?limit=1',
});
const found = { mountPath: '/api', remoteAddress: '127.0.0.1' };

describe('readCredentials', () => {
  it.each([
    { authorization: 'Bearer abc' },
    { authorization: 'bearer   abc ' },
    { 'x-api-key': 'abc' },
    { authorization: 'Bearer abc', 'x-api-key': 'abc' },
  ])('takes the token of %j', (headers) => {
    const presented = readCredentials(requestWith(headers), found);
    expect([presented.token, presented.remoteAddress]).toEqual(['abc', '127.0.0.1']);
  });

  it.each([
    { authorization: 'Bearer abc', 'x-api-key': 'abd' },
    { authorization: 'Basic YTpi', 'x-api-key': 'abc' },
    { authorization: 'Bearer', 'x-api-key': 'abc' },
    { authorization: 'Bearer abc', 'x-api-key': '' },
  ])('refuses the two credentials of %j', (headers) => {
    expect(() => readCredentials(requestWith(headers), found)).toThrow('have different keys');
  });

  it.each([{ authorization: 'Bearer' }, { authorization: 'Bearer ' }, { authorization: '' }, { 'x-api-key': '' }])(
    'reports an empty token in %j',
    (headers) => {
      expect(() => readCredentials(requestWith(headers), found)).toThrow('the token is empty');
    },
  );

  it.each([{ authorization: 'Basic YTpi' }, { authorization: 'Bearerabc' }, { authorization: 'pbk_live_x' }])(
    'finds no token in %j, and leaves the header to authenticators of requests',
    (headers) => {
      const presented = readCredentials(requestWith(headers), found);
      expect([presented.token, presented.header('authorization')]).toEqual([undefined, headers.authorization]);
      expect([presented.method, presented.target]).toEqual(['GET', '/api/functions?limit=1']);
    },
  );

  it('refuses an Authorization that is longer than any token, whatever its scheme', () => {
    const long = requestWith({ authorization: `Basic ${'a'.repeat(8_192)}` });
    expect(() => readCredentials(long, found)).toThrow('or a length, that no token has');
  });

  it('creates a head that reveals nothing when it is logged, copied or serialized', () => {
    const secret = canary('basic-credentials');
    const presented = readCredentials(requestWith({ authorization: `Basic ${secret}` }), found);
    const shown = [inspect(presented, { depth: 9, showHidden: true }), JSON.stringify({ presented, ...presented })];
    expect(shown.join()).not.toContain(secret);
    expect(Object.keys(presented)).toEqual([]);
  });
});
