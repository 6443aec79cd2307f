import { errorMessage } from '@patchbay/contracts/base/error-message';
import type { Kind } from '@patchbay/contracts/kinds';
import type { AppConfig, CompleteConfig } from './app-config.ts';
import { checkAppConfig } from './check-app-config.ts';
import { checkOptions, type OptionsContext } from './check-options.ts';
import { type ConfigProblem, problemsError } from './config-problem.ts';
import type { NamedMount, PluginMount } from './mounts.ts';
import { incompatibility } from './plugin-manifest.ts';
import { type ResolveOptions, resolvePlugin } from './resolve-plugin.ts';

export type LoadOptions = ResolveOptions & Pick<OptionsContext, 'interpolated'>;

/** A config that was checked, with its plugins. */
export interface LoadedAppConfig {
  readonly config: CompleteConfig;
  readonly mounts: readonly PluginMount[];
}

/**
 * Check a config and import the plugins of its mounts.
 *
 * @param kinds Of the plugins to import. Default: all.
 * @throws PatchbayError with all problems at once.
 */
export async function loadAppConfig(
  given: AppConfig,
  { directory, bases }: Pick<ResolveOptions, 'directory' | 'bases'>,
  kinds?: readonly Kind[],
): Promise<LoadedAppConfig> {
  const { config, mounts: all, problems } = checkAppConfig(given);
  const mounts = kinds === undefined ? all : all.filter(({ kind }) => kinds.includes(kind));
  const loaded = await loadMounts(mounts, { directory, bases, timeoutMs: config.startTimeoutMs });
  const found = [...problems, ...loaded.problems];
  if (found.length > 0) throw problemsError(found);
  return { config, mounts: loaded.mounts };
}

/** Import the plugins of all mounts, and validate them and their options. Reports all problems at once. */
export async function loadMounts(mounts: readonly NamedMount[], options: LoadOptions) {
  const loaded = await Promise.all(mounts.map((mount) => loadMount(mount, options)));
  return {
    mounts: loaded.flatMap(({ mount }) => mount ?? []),
    problems: loaded.flatMap(({ problems }) => problems),
  };
}

async function loadMount(
  { name, path, kind, mount }: NamedMount,
  options: LoadOptions,
): Promise<{ readonly mount?: PluginMount; readonly problems: readonly ConfigProblem[] }> {
  const failed = (code: string, message: string) => ({ problems: [{ path: [...path, 'use'], code, message }] });
  const plugin = await resolvePlugin(mount.use, options);
  if ('code' in plugin) return failed(plugin.code, plugin.message);
  const { definition } = plugin;
  const reason = incompatibility(plugin, kind);
  if (reason !== undefined) return failed('plugin_incompatible', `${definition.name} ${reason}`);
  try {
    const context = { owner: definition.name, interpolated: options.interpolated };
    const { value, problems } = checkOptions(definition.config, mount.with ?? {}, [...path, 'with'], context);
    if (problems.length > 0) return { problems };
    return { mount: { name, path, kind, plugin, options: value, optional: mount.optional ?? false }, problems: [] };
  } catch (error) {
    return failed(
      'plugin_incompatible',
      `${definition.name} has a config schema that cannot be used: ${errorMessage(error)}`,
    );
  }
}
