import type { AddressFilter } from '../../../egress/address-filter.ts';
import { createAddressFilter } from '../../../egress/address-filter.ts';
import { type HostPattern, matchesHost } from './host-pattern.ts';
import type { GrantedSecret } from './placeholders.ts';

/** One thing that a function was granted: some hosts, and what they may resolve to beside public addresses. */
export interface HostGrant {
  readonly hosts: readonly HostPattern[];
  readonly addresses: readonly string[];
}

/** What the requests of one run may do. */
export interface EgressPolicy {
  readonly hosts: readonly HostGrant[];
  readonly secrets: ReadonlyMap<string, GrantedSecret>;
}

/** Which addresses a URL may lead to, or undefined where it may not be asked for at all. */
export function addressesFor({ hosts }: EgressPolicy, url: URL): AddressFilter | undefined {
  const matching = hosts.filter((grant) => grant.hosts.some((pattern) => matchesHost(pattern, url)));
  if (matching.length === 0) return undefined;
  return createAddressFilter(matching.flatMap(({ addresses }) => addresses));
}
