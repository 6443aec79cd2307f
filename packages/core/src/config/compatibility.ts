import type { Plugin } from '../contracts/define-plugin.ts';
import { contractVersions, type Kind, type Kinds } from '../contracts/kinds.ts';

/** The methods that a contract requires, to find a plugin in plain JavaScript that lacks one before it is called. */
const requiredMethods = {
  storage: ['get', 'list', 'commit', 'scanAllTenants', 'migrate'],
  executor: ['execute'],
  provider: ['models', 'chat'],
  router: ['route'],
  authenticator: ['authenticate'],
  rateLimiter: ['consume', 'adjust'],
  cache: ['get', 'set', 'delete'],
  queue: ['enqueue', 'write', 'notify', 'consume', 'dead', 'revive', 'discard'],
  telemetry: ['span', 'count', 'record'],
  secrets: ['resolve'],
} as const satisfies { readonly [K in Kind]: readonly (keyof Kinds[K])[] };

/**
 * Why a plugin cannot be mounted as a `kind`, or undefined where it can.
 *
 * A host accepts the newest version of a contract. When a contract gets its version 2, the version before stays
 * accepted here, through an upgrader that makes its instances look like the new ones.
 */
export function incompatibility(plugin: Plugin, kind: Kind): string | undefined {
  const { definition } = plugin;
  if (definition.kind !== kind) {
    return `is a plugin of kind "${definition.kind}"; here belongs one of kind "${kind}"`;
  }
  return versionFault(kind, definition.version);
}

/** Why a version of a contract cannot be used, or undefined where it can. */
export function versionFault(kind: Kind, version: number): string | undefined {
  const newest = contractVersions[kind];
  if (version === newest) return undefined;
  const remedy = version > newest ? 'update Patchbay' : 'update the plugin';
  return `implements ${kind}@${version}; this host supports ${kind}@${newest}: ${remedy}`;
}

/** What an instance lacks to be a `kind`, or undefined where it has all. */
export function missingFrom(instance: unknown, kind: Kind): string | undefined {
  if (typeof instance !== 'object' || instance === null) return 'create did not return an object';
  if ('then' in instance) return 'create returned a promise: connect in start instead';
  const missing = requiredMethods[kind].filter((method) => typeof Reflect.get(instance, method) !== 'function');
  return missing.length === 0 ? undefined : `the instance has no method ${missing.join(', ')}`;
}
