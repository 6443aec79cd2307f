import { describe, expect, it } from 'vitest';
import { createAddressFilter } from './address-filter.ts';

const isPublic = createAddressFilter([]);

describe('createAddressFilter', () => {
  it.each(['8.8.8.8', '1.1.1.1', '198.20.0.1', '2606:4700:4700::1111', '2001:4860:4860::8888'])(
    'lets %s be',
    (text) => {
      expect(isPublic(text)).toBe(true);
    },
  );

  it.each([
    ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
    ['link-local', '169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
    ['multicast and broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
    ['reserved', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '2001:db8::1'],
    ['IPv4-in-IPv6', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::7f00:1'],
    ['translated', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001:0:1::1', '::ffff:0:127.0.0.1'],
    ['deprecated or unassigned', 'fec0::1', '4000::1', '3fff::1', '5f00::1', '100::1'],
    ['malformed', '', 'localhost', '1.2.3.4.5', ':::'],
  ])('refuses %s addresses', (_, ...texts) => {
    expect(texts.filter(isPublic)).toEqual([]);
  });

  it('opens the ranges that are named, and no more', () => {
    const isAllowed = createAddressFilter(['127.0.0.0/8', 'fd00::/16']);
    expect(['127.0.0.1', 'fd00::1', '8.8.8.8'].filter(isAllowed)).toHaveLength(3);
    // The same address in another notation counts as another address.
    expect(['10.0.0.1', 'fd01::1', '::ffff:127.0.0.1', '::1', '64:ff9b::7f00:1'].filter(isAllowed)).toEqual([]);
  });
});
