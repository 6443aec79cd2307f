import { fitsGlob } from '@patchbay/contracts/base/names';
import { type OptionSchema, type OptionValue, textList } from '@patchbay/contracts/config-schema';
import type { FunctionRow } from '@patchbay/contracts/rows';
import type { TenantId } from '@patchbay/contracts/tenant';
import { createAddressFilter } from '@patchbay/outbound/egress/address-filter';
import type { AddressFilter } from '@patchbay/outbound/egress/address-range';

/** An entry of `functions.grants` in a config: hosts, secrets and tools for some functions. */
export const grantOptions = {
  type: 'object',
  properties: {
    functions: {
      ...textList,
      description: 'Ids or names; `*` matches any characters. Callers who may write functions choose their names.',
    },
    tenants: { ...textList, description: 'Tenants the entry applies to. Default: `default` only.' },
    hosts: {
      ...textList,
      description:
        'Allowed hosts for `fetch`: `api.acme.com`, `*.acme.com`, `api.acme.com:8443`, `http://127.0.0.1:9000`. Without a protocol, https.',
    },
    addresses: {
      ...textList,
      description: 'Address ranges such as `10.1.0.0/16` these hosts may resolve to. Default: public addresses only.',
    },
    tools: {
      ...textList,
      description: 'Tools of mounted servers: `docs.search`; `*` matches any characters, as in `docs.*`.',
    },
    secrets: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          value: { type: 'string', writeOnly: true, description: 'The secret, at least 8 visible characters.' },
          hosts: { ...textList, description: 'Hosts it may be sent to; a subset of `hosts` above.' },
        },
        required: ['value', 'hosts'],
      },
    },
  },
  required: ['functions'],
} as const satisfies OptionSchema;

export type FunctionGrant = OptionValue<typeof grantOptions>;

/** Allowed origins. */
export interface HostPattern {
  readonly protocol: 'https:' | 'http:';
  /** Without the first label of a wildcard. Empty: every host. */
  readonly name: string;
  readonly wildcard: boolean;
  readonly port: string;
}

const ports = { 'https:': '443', 'http:': '80' } as const;

/**
 * Read `api.acme.com`, `*.acme.com`, `*`, `api.acme.com:8443` or `http://127.0.0.1:9000`. Without a protocol it is https.
 * `*.acme.com` is every host below `acme.com`, but not `acme.com` itself.
 *
 * @returns Undefined for any other string.
 */
export function parseHostPattern(text: string): HostPattern | undefined {
  const [, protocol = 'https:', wildcard = '', rest = ''] =
    /^(?:(https?:)\/\/)?(\*\.|\*(?=$|:))?(.*)$/su.exec(text) ?? [];
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  const any = wildcard === '*';
  // The URL parser normalizes names and addresses as in URLs of requests.
  const url = URL.parse(`${protocol}//${any ? `any${rest}` : rest}`);
  if (url === null || /[/?#@\s*]/u.test(rest) || url.hostname === '') return undefined;
  return { protocol, name: any ? '' : url.hostname, wildcard: wildcard !== '', port: portOf(url) };
}

export function matchesHost({ protocol, name, wildcard, port }: HostPattern, url: URL): boolean {
  if (url.protocol !== protocol || portOf(url) !== port) return false;
  if (!wildcard) return url.hostname === name;
  return name === '' || url.hostname.endsWith(`.${name}`);
}

function portOf({ protocol, port }: URL): string {
  return port === '' ? (ports[protocol as keyof typeof ports] ?? '') : port;
}

/** A secret that a function may send to some hosts, but never read. */
export interface GrantedSecret {
  readonly value: string;
  readonly hosts: readonly HostPattern[];
}

/** A grant of a function: hosts, and private address ranges they may resolve to. */
interface HostGrant {
  readonly hosts: readonly HostPattern[];
  readonly addresses: readonly string[];
}

/** The hosts and secrets that the requests of one run may use. */
export interface EgressPolicy {
  readonly hosts: readonly HostGrant[];
  readonly secrets: ReadonlyMap<string, GrantedSecret>;
}

/** Everything that the operator grants to a function. */
export interface RunGrants extends EgressPolicy {
  /** Patterns of the ids of tools. */
  readonly tools: readonly string[];
}

/** The allowed addresses of a URL, or undefined if the URL is not allowed. */
export function addressesFor({ hosts }: EgressPolicy, url: URL): AddressFilter | undefined {
  const matching = hosts.filter((grant) => grant.hosts.some((pattern) => matchesHost(pattern, url)));
  if (matching.length === 0) return undefined;
  return createAddressFilter(matching.flatMap(({ addresses }) => addresses));
}

/** The grants of a function by the operator. */
export type GrantsOf = (row: FunctionRow, tenant: TenantId) => RunGrants;

/** The tenant of grants that name none. */
const DEFAULT_TENANT = 'default';

/** For functions without a grant: no requests. */
export const noGrants: RunGrants = { hosts: [], secrets: new Map(), tools: [] };

/** Parse the grants of a validated config. */
export function createGrants(grants: readonly FunctionGrant[]): GrantsOf {
  const read = grants.map(
    ({ functions, tenants = [DEFAULT_TENANT], hosts = [], addresses = [], secrets = {}, tools = [] }) => ({
      isFor: (text: string) => functions.some((pattern) => fitsGlob(pattern, text)),
      tenants: new Set<string>(tenants),
      tools,
      hosts: { hosts: readHosts(hosts), addresses },
      secrets: Object.entries(secrets).map(
        ([name, secret]) => [name, { value: secret.value, hosts: readHosts(secret.hosts) }] as const,
      ),
    }),
  );
  return ({ id, name }, tenant) => {
    const own = read.filter(({ isFor, tenants }) => tenants.has(tenant) && (isFor(id) || isFor(name)));
    if (own.length === 0) return noGrants;
    return {
      hosts: own.map(({ hosts }) => hosts),
      secrets: new Map(own.flatMap(({ secrets }) => secrets)),
      tools: own.flatMap(({ tools }) => tools),
    };
  };
}

function readHosts(texts: readonly string[]): readonly HostPattern[] {
  return texts.map(parseHostPattern).filter((pattern) => pattern !== undefined);
}
