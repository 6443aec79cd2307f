import ipaddr from 'ipaddr.js';
import { type AddressFilter, isAddressRange } from './address-range.ts';

/** The only part of IPv6 that was ever allocated as globally reachable (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Allows connections to public addresses, and to the given ranges.
 *
 * Everything reserved by IANA is not public: loopback, private and link-local networks, those of
 * providers, multicast, documentation, and every form of IPv6 that carries an IPv4 address within it (mapped, NAT64, 6to4,
 * Teredo), because connections would reach that address.
 *
 * @param ranges Addresses, and networks in CIDR notation such as `127.0.0.0/8` or `fd00::/8`.
 * @throws RangeError for what `isAddressRange` does not accept.
 */
export function createAddressFilter(ranges: readonly string[]): AddressFilter {
  const isOpened = createRangeFilter(ranges);
  return (text) => isOpened(text) || (ipaddr.isValid(text) && isPublic(ipaddr.parse(text)));
}

/** Allows connections to the given ranges only. @throws RangeError as `createAddressFilter` does. */
export function createRangeFilter(ranges: readonly string[]): AddressFilter {
  const opened = ranges.map(parseRange);
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    return opened.some((range) => isWithin(address, range));
  };
}

function parseRange(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (!isAddressRange(range)) throw new RangeError(`${range} is neither an address nor a network`);
  if (range.includes('/')) return ipaddr.parseCIDR(range);
  const address = ipaddr.parse(range);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || isWithin(address, globalUnicast);
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [base, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}
