import { BlockList, isIP } from 'node:net';

/** Tells whether an address belongs to a list. */
export type AddressFilter = (address: string) => boolean;

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * Whether a string is an IPv4 or IPv6 address, or a network of them in CIDR notation such as `10.0.0.0/8`. No zone, and
 * no IPv4 address inside an IPv6 one: each address has one form.
 */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, more] = text.split('/');
  if (more !== undefined || isIP(address) === 0 || /[%]|^::ffff:/i.test(address)) return false;
  return prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bitsOf(address));
}

/**
 * Create a filter from addresses and networks. An IPv4 address that a dual-stack socket shows as `::ffff:10.0.0.1`
 * counts as what it is.
 *
 * @throws RangeError for what `isAddressRange` does not accept.
 *
 * @example
 * ```ts
 * import { createAddressFilter } from '@patchbay/core/plugin';
 *
 * const isOurs = createAddressFilter(['10.0.0.0/8', '::1']);
 * console.log(isOurs('::ffff:10.1.2.3'), isOurs('192.0.2.1')); // true false
 * ```
 */
export function createAddressFilter(ranges: readonly string[]): AddressFilter {
  const list = new BlockList();
  for (const range of ranges) {
    if (!isAddressRange(range)) throw new RangeError(`${range} is neither an address nor a network`);
    const [address = '', prefix = bitsOf(address)] = range.split('/');
    list.addSubnet(address, Number(prefix), family(address));
  }
  return (given) => {
    const address = plainAddress(given);
    return isIP(address) > 0 && list.check(address, family(address));
  };
}

/**
 * An address without the form and the zone that sockets may give it.
 *
 * @example
 * ```ts
 * import { plainAddress } from '@patchbay/core/plugin';
 *
 * console.log(plainAddress('::ffff:10.0.0.1')); // 10.0.0.1
 * ```
 */
export function plainAddress(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  return mapped ?? address.replace(/%.*$/, '');
}

function bitsOf(address: string): number {
  return isIP(address) === 6 ? 128 : 32;
}
