import { createAddressFilter } from '../../egress/address-filter.ts';
import { hasNoAddress, type Resolve, type ResolvedAddress } from '../../egress/resolve-names.ts';
import type { WebhookPolicy } from '../webhook-options.ts';

const loopback: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * How the names of endpoints become addresses: by DNS, which is all that public names need. Where the operator has opened
 * private ranges, names that only this system knows (of its file of hosts, its search list, its containers) count as well.
 */
export function resolveEndpoints(
  policy: WebhookPolicy,
  { byDns, bySystem }: Record<'byDns' | 'bySystem', Resolve>,
): Resolve {
  const isAllowed = createAddressFilter(policy.allow);
  const isOpen = policy.allow.length > 0;
  return async (hostname) => {
    // Never a question for a server (RFC 6761, section 6.3).
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

export function isLocalName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}
