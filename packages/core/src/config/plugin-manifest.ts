import { readFileSync } from 'node:fs';
import { didYouMean } from '@patchbay/contracts/base/names';
import type { Plugin } from '@patchbay/contracts/define-plugin';
import { contractVersions, type Kind, type Kinds } from '@patchbay/contracts/kinds';
import { fieldsOf, listOf, textOf } from '@patchbay/outbound/provider-kit/json-fields';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';

/** The package.json of a plugin, which tools read without running the plugin. */
export interface PluginManifest {
  readonly name: string;
  readonly version: string | undefined;
  readonly kind: string | undefined;
  /** Of its member `patchbay`: the version of the kind's contract. */
  readonly contractVersion: unknown;
  /** The versions of `@patchbay/core` that it was made for: its peer dependency. */
  readonly core: string | undefined;
  readonly keywords: readonly unknown[];
}

/** The package.json of the package that a module belongs to. Undefined for a module outside any package. */
export function readPluginManifest(moduleUrl: string): PluginManifest | undefined {
  for (let folder = new URL('.', moduleUrl); ; folder = new URL('..', folder)) {
    const manifest = readManifest(new URL('package.json', folder));
    if (manifest !== undefined) return manifest;
    if (folder.pathname === new URL('..', folder).pathname || folder.pathname.endsWith('/node_modules/'))
      return undefined;
  }
}

function readManifest(url: URL): PluginManifest | undefined {
  let fields: ReturnType<typeof fieldsOf>;
  try {
    fields = fieldsOf(JSON.parse(readFileSync(url, 'utf8')));
  } catch {
    return undefined;
  }
  const name = textOf(fields?.['name']);
  // A package.json within a package only determines how its files are loaded.
  if (fields === undefined || name === undefined) return undefined;
  const patchbay = fieldsOf(fields['patchbay']);
  return {
    name,
    version: textOf(fields['version']),
    kind: textOf(patchbay?.['kind']),
    contractVersion: patchbay?.['version'],
    core: textOf(fieldsOf(fields['peerDependencies'])?.['@patchbay/core']),
    keywords: listOf(fields['keywords']) ?? [],
  };
}

/** Why this host cannot use the plugin, as far as its package.json shows. */
export function manifestFault(manifest: PluginManifest, host = hostVersion()): string | undefined {
  const { name, kind, contractVersion, core } = manifest;
  if (core !== undefined && validRange(core) !== null) {
    if (!satisfies(host, core, { includePrerelease: true })) {
      return `${name} was made for @patchbay/core ${core}, and this is ${host}`;
    }
  }
  if (kind === undefined) return undefined;
  if (!Object.hasOwn(contractVersions, kind)) {
    return `${name} is a plugin of a kind that this host does not know: "${kind}"${didYouMean(kind, Object.keys(contractVersions))}`;
  }
  if (typeof contractVersion !== 'number') return undefined;
  const fault = versionFault(kind as Kind, contractVersion);
  return fault === undefined ? undefined : `${name} ${fault}`;
}

export function hostVersion(): string {
  return readManifest(new URL('../../package.json', import.meta.url))?.version ?? '0.0.0';
}

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
  toolServer: ['tools', 'call'],
} as const satisfies { readonly [K in Kind]: readonly (keyof Kinds[K])[] };

/**
 * Why a plugin cannot be mounted as a `kind`, or undefined if it can.
 *
 * A host accepts the latest version of a contract. When a contract gets version 2, version 1 remains
 * supported here, through an upgrader that adapts its instances.
 */
export function incompatibility(plugin: Plugin, kind: Kind): string | undefined {
  const { definition } = plugin;
  if (definition.kind !== kind) {
    return `is a plugin of kind "${definition.kind}"; here belongs one of kind "${kind}"`;
  }
  return versionFault(kind, definition.version);
}

/** Why a version of a contract is not supported, or undefined if it is. */
function versionFault(kind: Kind, version: number): string | undefined {
  const newest = contractVersions[kind];
  if (version === newest) return undefined;
  const remedy = version > newest ? 'update Patchbay' : 'update the plugin';
  return `implements ${kind}@${version}; this host supports ${kind}@${newest}: ${remedy}`;
}

/** The first method that an instance of a `kind` lacks, or undefined. */
export function missingFrom(instance: unknown, kind: Kind): string | undefined {
  if (typeof instance !== 'object' || instance === null) return 'create did not return an object';
  if ('then' in instance) return 'create returned a promise: connect in start instead';
  const missing = requiredMethods[kind].filter((method) => typeof Reflect.get(instance, method) !== 'function');
  return missing.length === 0 ? undefined : `the instance has no method ${missing.join(', ')}`;
}
