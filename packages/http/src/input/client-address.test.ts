import { describe, expect, it } from 'vitest';
import { createClientAddress } from './client-address.ts';

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
  ])('is that of the socket: %s', (socket, expected) => {
    expect(createClientAddress()(request(socket, '203.0.113.9'))).toBe(expected);
    expect(createClientAddress(['10.0.0.0/8'])(request(socket, '203.0.113.9'))).toBe(expected);
  });

  const trusting = createClientAddress(['10.0.0.0/8', 'fd00::/8']);

  it.each([
    ['the one that a proxy saw', '203.0.113.9', '203.0.113.9'],
    ['not what the client claimed itself', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['the one before all proxies', '198.51.100.1, 203.0.113.9, 10.0.0.2, fd00::2', '203.0.113.9'],
    ['a proxy itself, where it is the client', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['with a port behind it', '203.0.113.9:4711', '203.0.113.9'],
    ['in brackets with a port', '[2001:db8::1]:4711', '2001:db8::1'],
    ['of version 4 in version 6', '::ffff:203.0.113.9', '203.0.113.9'],
    ['not what is no address', '203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['the proxy, where it says nothing', '', '10.0.0.1'],
    ['the proxy, where it says nothing that is one', 'unknown', '10.0.0.1'],
  ])('behind proxies is %s', (_, header, expected) => {
    expect(trusting(request('10.0.0.1', header))).toBe(expected);
  });

  it('is the proxy without the header', () => {
    expect(trusting(request('::ffff:10.0.0.1'))).toBe('10.0.0.1');
  });

  it('does not get lost in a long header', () => {
    const header = `203.0.113.9, ${Array.from({ length: 1_000 }, () => '10.0.0.2').join(', ')}`;
    expect(trusting(request('10.0.0.1', header))).toBe('10.0.0.2');
  });
});
