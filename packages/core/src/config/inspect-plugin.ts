import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '@patchbay/contracts/base/error-message';
import type { ConfigSchema } from '@patchbay/contracts/config-schema';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Kind } from '@patchbay/contracts/kinds';
import { checkOptions } from './check-options.ts';
import { incompatibility, manifestFault, type PluginManifest, readPluginManifest } from './plugin-manifest.ts';
import { findModule, installedPackages, isPath, type ResolveOptions, resolvePlugin } from './resolve-plugin.ts';

/** The definition of a plugin, and everything that is wrong with it. */
export interface InspectedPlugin {
  readonly name: string;
  readonly kind: Kind;
  readonly contractVersion: number;
  readonly capabilities: readonly string[];
  readonly config: ConfigSchema;
  /** One sentence each. Empty: tools and hosts can use it. */
  readonly faults: readonly string[];
}

/**
 * Import a plugin and compare it with its package.json. It is not created, so there is no I/O.
 *
 * @param given A package, a file, or the folder of a package, which stands for what it exports, or its source if it was
 *   not built.
 * @throws PatchbayError `plugin_not_found` or `plugin_incompatible` if no host could mount it.
 *
 * @example
 * ```ts
 * import { inspectPlugin } from '@patchbay/core';
 *
 * const options = { directory: process.cwd(), bases: [], timeoutMs: 10_000 };
 * const { kind, faults } = await inspectPlugin('./src/index.ts', options);
 * console.log(kind, faults); // provider []
 * ```
 */
export async function inspectPlugin(given: string, options: ResolveOptions): Promise<InspectedPlugin> {
  const use = moduleOfFolder(given, options.directory);
  const plugin = await resolvePlugin(use, options);
  if ('code' in plugin) throw new PatchbayError(plugin.code, plugin.message);
  const { name, kind, version, capabilities = [], config } = plugin.definition;
  const unusable = incompatibility(plugin, kind);
  if (unusable !== undefined) throw new PatchbayError('plugin_incompatible', `${name} ${unusable}`);
  const faults: string[] = [];
  try {
    checkOptions(config, {}, []);
  } catch (error) {
    faults.push(`its config schema cannot be used: ${errorMessage(error)}`);
  }
  const url = findModule(use, options);
  const manifest = typeof url === 'string' ? readPluginManifest(url) : undefined;
  if (manifest !== undefined) faults.push(...disagreements(manifest, plugin.definition));
  return { name, kind, contractVersion: version, capabilities, config, faults };
}

function disagreements(
  manifest: PluginManifest,
  { name, kind, version }: { readonly name: string; readonly kind: string; readonly version: number },
): readonly string[] {
  const expected = `"patchbay": { "kind": "${kind}", "version": ${version} }`;
  const faults: string[] = [];
  if (manifest.name !== name) faults.push(`its package is called ${manifest.name}, and its definition ${name}`);
  if (manifest.kind !== kind || manifest.contractVersion !== version) faults.push(`its package.json lacks ${expected}`);
  if (!manifest.keywords.includes('patchbay-plugin')) faults.push('its package.json lacks the keyword patchbay-plugin');
  if (manifest.core === undefined) faults.push('its package.json lacks the peer dependency @patchbay/core');
  return faults;
}

/** An installed plugin, as far as its package.json describes it. */
export interface InstalledPlugin {
  readonly name: string;
  readonly version: string | undefined;
  readonly kind: string;
  /** Why this host cannot use it. */
  readonly fault: string | undefined;
}

/**
 * The plugins that a config in this folder could mount by name, without running them.
 *
 * @example
 * ```ts
 * import { installedPlugins } from '@patchbay/core';
 *
 * for (const { kind, name, fault = 'fits' } of installedPlugins({ directory: process.cwd(), bases: [] })) {
 *   console.log(kind, name, fault);
 * }
 * ```
 */
export function installedPlugins({ directory, bases }: Pick<ResolveOptions, 'directory' | 'bases'>): InstalledPlugin[] {
  return [...installedPackages([directory, ...bases]).values()]
    .flatMap((folder) => readPluginManifest(pathToFileURL(join(folder, 'package.json')).href) ?? [])
    .flatMap((manifest) => {
      const { name, version, kind } = manifest;
      return kind === undefined ? [] : [{ name, version, kind, fault: manifestFault(manifest) }];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * The module of a plugin whose folder was named: what its package.json exports, or its source if nothing was built.
 * Everything else stays as it is.
 */
export function moduleOfFolder(use: string, directory: string): string {
  if (use.startsWith('file:') || !(isPath(use) || use === '.' || use === '..')) return use;
  const folder = resolve(directory, use);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return use;
  const candidates = [exportOf(folder), 'src/index.ts', 'index.ts', 'index.js'];
  const found = candidates.find((file) => file !== undefined && existsSync(join(folder, file)));
  return found === undefined ? folder : join(folder, found);
}

function exportOf(folder: string): string | undefined {
  let manifest: Readonly<Record<string, unknown>>;
  try {
    manifest = Object(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  } catch {
    return undefined;
  }
  const { exports, main } = manifest;
  const root: unknown = Object(exports)['.'] ?? exports ?? main;
  const { import: module, node, default: any } = Object(root);
  return [root, module, node, any].find((each) => typeof each === 'string');
}
