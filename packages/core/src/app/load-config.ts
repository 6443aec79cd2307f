import { dirname, relative, resolve } from 'node:path';
import { silentLogger } from '@patchbay/contracts/base/logger';
import type { ConfigOf, ConfigSchema } from '@patchbay/contracts/config-schema';
import type { Logger } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import { type AppConfig, type CompleteConfig, defaultStartTimeoutMs } from '../config/app-config.ts';
import { checkAppConfig } from '../config/check-app-config.ts';
import { type ConfigEntry, configEntries } from '../config/config-entries.ts';
import { isPlainObject, pathPointer } from '../config/config-path.ts';
import { type ConfigProblem, fileProblemsError, placeOf, withoutRepeats } from '../config/config-problem.ts';
import { loadMounts } from '../config/load-mounts.ts';
import type { PluginMount } from '../config/mounts.ts';
import { findConfigFile, readConfigFile } from '../config/read-config-file.ts';
import { importModule } from '../config/resolve-plugin.ts';
import { fillConfig } from './fill-config.ts';

export interface LoadConfigOptions<S extends Readonly<Record<string, ConfigSchema>> = Record<never, never>> {
  /** The file, relative to `cwd`. Default: the only `patchbay.config.*` in `cwd`. */
  readonly file?: string;
  /** Default: the working directory. */
  readonly cwd?: string;
  /** Variables for `${NAME}`. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Top-level sections that the host adds to the format, by name, such as `server`. */
  readonly sections?: S;
  /** Further folders, or `file:` URLs of modules, from which plugins are looked for after the config's own folder. */
  readonly bases?: readonly string[];
  /** Reread a file that was loaded before. Plugins and imports of a config in JavaScript are not reloaded. */
  readonly again?: boolean;
  /** Logger of the plugin for secrets. Default: none. */
  readonly logger?: Logger;
  /**
   * Validates what the schemas of `sections` cannot express, once they match. The problems that it finds are reported
   * together with all others, each at the position of its path. Default: none.
   */
  readonly check?: (
    sections: LoadedConfig<S>['sections'],
    importModule: ImportModule,
    app: Pick<CompleteConfig, 'limits' | 'rateLimiter' | 'storage'>,
  ) => Promise<readonly ConfigProblem[]>;
}

/**
 * Imports a module that the config names by its package or path, as plugins are imported.
 *
 * @throws PatchbayError `plugin_not_found` with a message to report as a problem.
 */
export type ImportModule = (use: string) => Promise<object>;

/** A config file, read, checked and complete. */
export interface LoadedConfig<S extends Readonly<Record<string, ConfigSchema>> = Record<never, never>> {
  readonly file: string;
  /** Folder of the file, the base of relative paths. */
  readonly directory: string;
  /** For `createApp`, with plugins imported and defaults filled in. */
  readonly app: AppConfig;
  /** The sections of the host, with defaults filled in, even if the file omits them. */
  readonly sections: { readonly [N in keyof S]: ConfigOf<S[N]> };
  /** Every value with its position and source, without secrets. */
  readonly entries: readonly ConfigEntry[];
}

/**
 * Find, read and validate a config file, and import its plugins. Only the plugin for secrets is started, and that
 * only if the file contains a `${secret:name}`.
 *
 * @throws PatchbayError `config_invalid` with all problems at once: each is a line `file:line:column path message` of
 *   its message, and an entry of its `errors` with line and column. It never contains values.
 *
 * @example
 * ```ts
 * import { createApp, loadConfig } from '@patchbay/core';
 *
 * const { app: config, directory } = await loadConfig({ file: 'patchbay.config.yaml' });
 * const app = await createApp(config, { directory });
 * ```
 */
export async function loadConfig<S extends Readonly<Record<string, ConfigSchema>> = Record<never, never>>(
  options: LoadConfigOptions<S> = {},
): Promise<LoadedConfig<S>> {
  const { cwd = process.cwd(), env = process.env, bases = [], logger = silentLogger } = options;
  const sections: Readonly<Record<string, ConfigSchema>> = options.sections ?? {};
  const file = findConfigFile(cwd, options.file);
  const directory = dirname(file);
  const parsed = await readConfigFile(file, options.again);
  const refuse = (problems: readonly ConfigProblem[]) =>
    fileProblemsError(displayName(cwd, file), problems, (problem) => placeOf(problem, parsed.places));
  if (!isPlainObject(parsed.value)) {
    const problem = { path: [], code: 'type', message: 'must be a map, such as "patchbay: 1"' };
    throw refuse(parsed.problems.length > 0 ? parsed.problems : [problem]);
  }

  const filled = await fillConfig(parsed.value, { env, directory, bases, logger });
  const interpolated = new Set(filled.references.keys());
  const checked = checkAppConfig(filled.value, { sections, interpolated });
  const { startTimeoutMs } = checked.config;
  const timeoutMs = Number.isSafeInteger(startTimeoutMs) ? startTimeoutMs : defaultStartTimeoutMs;
  const resolving = { directory, bases, timeoutMs };
  const loaded = await loadMounts(checked.mounts, { ...resolving, interpolated });
  const isSection = ([name]: readonly [string, unknown]) => Object.hasOwn(sections, name);
  const sectionsOf = (config: object) =>
    Object.fromEntries(Object.entries(config).filter(isSection)) as LoadedConfig<S>['sections'];
  const areSectionsFit = [...filled.problems, ...checked.problems].every(
    ({ path }) => !isSection([`${path[0]}`, path]),
  );
  const importForHost: ImportModule = async (use) => {
    const module = await importModule(use, resolving);
    if ('message' in module) throw new PatchbayError(module.code, module.message);
    return module.exports;
  };
  const found = areSectionsFit
    ? await options.check?.(sectionsOf(checked.config), importForHost, checked.config)
    : undefined;
  const problems = withoutRepeats([
    ...parsed.problems,
    ...filled.problems,
    // A string that could not be interpolated does not match its schema either: report it once.
    ...[...checked.problems, ...loaded.problems].filter(({ path }) => !filled.unfilled.has(pathPointer(path))),
    ...(found ?? []),
  ]);
  if (problems.length > 0) throw refuse(problems);

  const complete = withPlugins(checked.config, loaded.mounts);
  return {
    file,
    directory,
    app: Object.fromEntries(Object.entries(complete).filter((member) => !isSection(member))) as unknown as AppConfig,
    sections: sectionsOf(complete),
    entries: configEntries(complete, {
      written: parsed.value,
      places: parsed.places,
      references: filled.references,
      schema: checked.schema,
      mounts: loaded.mounts,
    }),
  };
}

/** The config with plugins in place of their names, and complete options. */
function withPlugins(config: CompleteConfig, mounts: readonly PluginMount[]): CompleteConfig {
  const complete: Record<string, unknown> = { ...config };
  for (const { path, plugin, options, optional } of mounts) {
    const [key = '', name] = path;
    const mount = { use: plugin, with: options, optional };
    complete[key] = name === undefined ? mount : { ...(complete[key] as object), [name]: mount };
  }
  return complete as unknown as CompleteConfig;
}

/** The path as an operator would type it. */
function displayName(cwd: string, file: string): string {
  const name = relative(resolve(cwd), file);
  return name.startsWith('..') ? file : name;
}
