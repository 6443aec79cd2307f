import type { Plugin } from '@patchbay/contracts/define-plugin';
import type { Kind } from '@patchbay/contracts/kinds';
import { createServiceRef, type ServiceRef } from '@patchbay/contracts/services';

/** The kinds that can be mounted once, each under its own name. */
export const singleKinds = [
  'storage',
  'executor',
  'router',
  'rateLimiter',
  'cache',
  'queue',
  'telemetry',
  'secrets',
] as const satisfies readonly Kind[];

/** The kinds that can be mounted several times, by the key of the config with their names. */
export const namedKinds = {
  providers: 'provider',
  authenticators: 'authenticator',
  tools: 'toolServer',
} as const satisfies Readonly<Record<string, Kind>>;

/** The keys of the config under which mounts have names. */
export const namedKeys = Object.keys(namedKinds) as readonly (keyof typeof namedKinds)[];

/** A plugin in a config. */
export interface Mount<K extends Kind = Kind> {
  /** The plugin itself; in a config file, its package name or a `./path`. */
  readonly use: Plugin<K> | string;
  /** Options of the plugin, checked against its schema. */
  readonly with?: object;
  /** If the plugin fails to start, the host is `degraded` instead of stopping. */
  readonly optional?: boolean;
}

export type Mounts = { readonly [K in (typeof singleKinds)[number]]?: Mount<K> } & {
  readonly [N in keyof typeof namedKinds]?: Readonly<Record<string, Mount<(typeof namedKinds)[N]>>>;
};

/** One mount of a config, with its path. */
export interface NamedMount {
  /** `storage`, `providers.openai` */
  readonly name: string;
  readonly path: readonly string[];
  readonly kind: Kind;
  readonly mount: Mount;
}

/** A mount with its plugin at hand and its options valid, with defaults filled in. */
export interface PluginMount extends Omit<NamedMount, 'mount'> {
  readonly plugin: Plugin;
  readonly options: object;
  readonly optional: boolean;
}

export function listMounts(config: Mounts): readonly NamedMount[] {
  const mounts: NamedMount[] = [];
  for (const kind of singleKinds) {
    const mount = config[kind];
    if (mount !== undefined) mounts.push({ name: kind, path: [kind], kind, mount });
  }
  for (const key of namedKeys) {
    for (const [name, mount] of Object.entries<Mount>(config[key] ?? {})) {
      mounts.push({ name: `${key}.${name}`, path: [key, name], kind: namedKinds[key], mount });
    }
  }
  return mounts;
}

/** The ref under which a mounted instance is found: `storage`, `provider:openai`. */
export function mountRef<T>(kind: Kind, path: readonly string[]): ServiceRef<T> {
  return createServiceRef<T>(path.length === 1 ? kind : `${kind}:${path[1]}`);
}
