import { isIPv6 } from 'node:net';

/** Who an address stands for. A caller has all addresses of an IPv6 network of 64 bits to choose from: they are one. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  if (/^::ffff:\d+\./i.test(address)) return address.slice('::ffff:'.length);
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
