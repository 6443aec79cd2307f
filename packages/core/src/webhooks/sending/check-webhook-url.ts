import { isIP } from 'node:net';
import { createAddressFilter, createRangeFilter } from '@patchbay/outbound/egress/address-filter';
import { hasNoAddress, type Resolve, type ResolvedAddress } from '@patchbay/outbound/egress/resolve-names';
import type { WebhookPolicy } from '../webhook-options.ts';

const MAX_LENGTH = 2_048;
const MAX_HOST_LENGTH = 253;
const defaultPorts: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/**
 * The problem with the URL of an endpoint, as the second half of a sentence that begins with "url"; undefined for an
 * acceptable URL. The addresses of its host are checked at each
 * connection, because they may change.
 */
export function checkWebhookUrl(text: string, policy: WebhookPolicy): string | undefined {
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  // The parser repairs much of what people and attackers write. A URL that needs repair is not what it looks like.
  if (!/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text)) return 'must be a URL that begins with https://';
  const url = URL.parse(text);
  if (url === null) return 'must be a URL';
  if (/^https?:\/\/[^/?#]*@/iu.test(text)) return 'must not have a user name or password in it';
  if (text.includes('#')) return 'must not have a fragment, which is never sent';
  return hostProblem(url) ?? policyProblem(url, policy);
}

/** Whether only an address that the operator has opened is acceptable. */
export function needsOpenedRange(url: URL, { ports }: WebhookPolicy): boolean {
  return url.protocol !== 'https:' || !ports.includes(portOf(url));
}

/** The host in the form that sockets accept. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (defaultPorts[protocol] ?? 0) : Number(port);
}

function hostProblem(url: URL): string | undefined {
  const host = hostOf(url);
  if (host.length > MAX_HOST_LENGTH) return `must have a host of at most ${MAX_HOST_LENGTH} characters`;
  if (host.endsWith('.')) return 'must have a host without a dot at its end';
  if (host.split('.').some((label) => label === '' || label.length > 63) && isIP(host) === 0) {
    return 'must have a host that can be the name of one';
  }
  if (url.port === '0') return 'must not have port 0';
  return undefined;
}

function policyProblem(url: URL, policy: WebhookPolicy): string | undefined {
  const host = hostOf(url);
  const isOpen = policy.allow.length > 0;
  if (isIP(host) !== 0) {
    if (!createAddressFilter(policy.allow)(host)) return 'must not lead to a private address';
  } else if (!isOpen && isLocalName(host)) {
    return 'must not lead to a private address';
  }
  if (!needsOpenedRange(url, policy)) return undefined;
  // A name may resolve to an address that the operator has opened. The connection will show.
  if (isOpen && (isIP(host) === 0 || createRangeFilter(policy.allow)(host))) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  return `must have one of the ports ${policy.ports.join(', ')}`;
}

const loopback: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * How endpoint names become addresses: by DNS, which is all that public names need. If the operator has opened private
 * ranges, names that only this system knows (from its hosts file, its search list, its containers) count as well.
 */
export function resolveEndpoints(
  policy: WebhookPolicy,
  { byDns, bySystem }: Record<'byDns' | 'bySystem', Resolve>,
): Resolve {
  const isAllowed = createAddressFilter(policy.allow);
  const isOpen = policy.allow.length > 0;
  return async (hostname) => {
    // Never sent to a DNS server (RFC 6761, section 6.3).
    if (isLocalName(hostname)) return loopback.filter(({ address }) => isAllowed(address));
    if (isOpen && !hostname.includes('.')) return await bySystem(hostname);
    try {
      return await byDns(hostname);
    } catch (error) {
      if (isOpen && (hasNoAddress(error) || (error as NodeJS.ErrnoException).code === 'ECONNREFUSED')) {
        return await bySystem(hostname);
      }
      throw error;
    }
  };
}

function isLocalName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}
