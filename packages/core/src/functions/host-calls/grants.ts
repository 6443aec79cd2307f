import type { FunctionRow } from '../../contracts/rows.ts';
import type { TenantId } from '../../contracts/tenant.ts';
import type { EgressPolicy } from './fetch/egress-policy.ts';
import { type HostPattern, parseHostPattern } from './fetch/host-pattern.ts';
import type { FunctionGrant } from './function-grant.ts';

/** What a function was granted by the operator. */
export type GrantsOf = (row: FunctionRow, tenant: TenantId) => EgressPolicy;

/** The tenant that grants are meant for where they name none. */
export const DEFAULT_TENANT = 'default';

const nothing: EgressPolicy = { hosts: [], secrets: new Map() };

/** Read the grants of a config that was checked. */
export function createGrants(grants: readonly FunctionGrant[]): GrantsOf {
  const read = grants.map(({ functions, tenants = [DEFAULT_TENANT], hosts = [], addresses = [], secrets = {} }) => ({
    isFor: nameMatcher(functions),
    tenants: new Set<string>(tenants),
    hosts: { hosts: readHosts(hosts), addresses },
    secrets: Object.entries(secrets).map(
      ([name, secret]) => [name, { value: secret.value, hosts: readHosts(secret.hosts) }] as const,
    ),
  }));
  return ({ id, name }, tenant) => {
    const own = read.filter(({ isFor, tenants }) => tenants.has(tenant) && (isFor(id) || isFor(name)));
    if (own.length === 0) return nothing;
    return { hosts: own.map(({ hosts }) => hosts), secrets: new Map(own.flatMap(({ secrets }) => secrets)) };
  };
}

function readHosts(texts: readonly string[]): readonly HostPattern[] {
  return texts.map(parseHostPattern).filter((pattern) => pattern !== undefined);
}

/** Whether a text is one of these, in which `*` stands for any characters. */
function nameMatcher(patterns: readonly string[]): (text: string) => boolean {
  const all = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\/-]/g, '\\$&'));
    return new RegExp(`^${parts.join('[^]*')}$`);
  });
  return (text) => all.some((pattern) => pattern.test(text));
}
