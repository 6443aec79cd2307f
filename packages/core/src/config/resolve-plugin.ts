import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { errorMessage } from '@patchbay/contracts/base/error-message';
import { didYouMean } from '@patchbay/contracts/base/names';
import { withTimeout } from '@patchbay/contracts/base/signals';
import type { Plugin } from '@patchbay/contracts/define-plugin';
import { contractVersions } from '@patchbay/contracts/kinds';
import { moduleResolve } from 'import-meta-resolve';
import { placeOfFailedImport, placeOfThrow } from './place-of-throw.ts';
import { manifestFault, readPluginManifest } from './plugin-manifest.ts';

export interface ResolveOptions {
  /** Folder of the config. Paths are relative to it, and packages are looked for from there first. */
  readonly directory: string;
  /** Further folders, or URLs of modules, from which packages are looked for. */
  readonly bases: readonly string[];
  readonly timeoutMs: number;
}

interface ResolveProblem {
  readonly code: 'plugin_not_found' | 'plugin_incompatible';
  readonly message: string;
}

/** The plugin that `use` of a mount refers to: the plugin itself, a package name or a path. */
export async function resolvePlugin(use: unknown, options: ResolveOptions): Promise<Plugin | ResolveProblem> {
  if (isPlugin(use)) return checked('the plugin', definitionFault(use) ?? use);
  if (typeof use !== 'string') {
    return incompatible('must be a package name, a path that begins with "./", or what definePlugin returns');
  }
  const module = await importModule(use, options, (url) => {
    // A file need not match the package that it happens to be in.
    const manifest = isPath(use) ? undefined : readPluginManifest(url);
    return manifest && manifestFault(manifest);
  });
  return 'message' in module ? module : checked(use, pluginOfModule(module.exports));
}

/**
 * The exports of a module that a config names by its package or path, or why that cannot be known.
 *
 * @param faultOf Finds a reason not to import the module of this URL. Default: none.
 */
export async function importModule(
  use: string,
  options: ResolveOptions,
  faultOf: (url: string) => string | undefined = () => undefined,
): Promise<{ readonly exports: object } | ResolveProblem> {
  const url = findModule(use, options);
  if (typeof url === 'object') return url;
  const fault = faultOf(url);
  if (fault !== undefined) return incompatible(fault);
  try {
    return { exports: (await withTimeout(import(/* @vite-ignore */ url), options.timeoutMs)) as object };
  } catch (error) {
    return notFound(
      `${use} cannot be imported: ${await placeOf(error, use, url, options.directory)}${errorMessage(error)}`,
    );
  }
}

async function placeOf(error: unknown, use: string, url: string, directory: string): Promise<string> {
  const isFile = isPath(use) && url.startsWith('file:');
  return isFile ? await placeOfFailedImport(error, url, directory) : placeOfThrow(error, [directory]);
}

function checked(name: string, found: Plugin | string): Plugin | ResolveProblem {
  return typeof found === 'string' ? incompatible(`${name} ${found}`) : found;
}

/** The URL of the module, or why there is none. */
export function findModule(use: string, { directory, bases }: ResolveOptions): string | ResolveProblem {
  const path = isPath(use);
  if (!path && !/^(@[\w.~-]+\/)?[\w.~-]+(\/[\w.~/-]+)?$/.test(use)) {
    return notFound(`"${use}" is neither a package name nor a path: paths begin with "./"`);
  }
  const folders = path ? [directory] : [directory, ...bases];
  // A path is not a URL: "#", "?" and "%" are ordinary characters in it.
  const specifier = path && !use.startsWith('file:') ? pathToFileURL(resolve(directory, use)).href : use;
  let missing = '';
  for (const folder of folders) {
    try {
      // `import.meta.resolve` accepts another folder only with a Node flag.
      return moduleResolve(specifier, moduleIn(folder), importConditions()).href;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_UNSUPPORTED_DIR_IMPORT') return notFound(`${use} is a folder: name the file in it`);
      if (code !== 'ERR_MODULE_NOT_FOUND') return notFound(`${use} cannot be imported: ${errorMessage(error)}`);
      missing = errorMessage(error);
    }
  }
  if (path) return notFound(`${use} does not exist`);
  const isFile = statSync(join(directory, use), { throwIfNoEntry: false })?.isFile() ?? false;
  if (isFile) return notFound(`${use} is not installed; did you mean the file "./${use}"?`);
  const installed = installedPackages(folders);
  // The package is there, but the file that its package.json names is not: it was not built, or not packed.
  if (installed.has(packageName(use))) {
    const file = /'([^']+)'/.exec(missing)?.[1] ?? '';
    const within = file.split(`/${packageName(use)}/`).at(-1) ?? file;
    return notFound(`${use} cannot be imported: its file ${within} is not there. Has it been built?`);
  }
  const near = [...installed.keys()].filter((name) => isNearInScope(use, name));
  const hint = didYouMean(use, near);
  return notFound(`${use} is not installed${hint === '' ? `: run "npm install ${packageName(use)}"` : hint}`);
}

export function isPath(use: string): boolean {
  return /^(\.{0,2}\/|[a-z]:\\|file:)/i.test(use);
}

/** Two packages of one scope are not similar because of the scope. */
function isNearInScope(use: string, name: string): boolean {
  const scope = use.slice(0, use.indexOf('/') + 1);
  return !name.startsWith(scope) || didYouMean(use.slice(scope.length), [name.slice(scope.length)]) !== '';
}

function packageName(use: string): string {
  return use
    .split('/')
    .slice(0, use.startsWith('@') ? 2 : 1)
    .join('/');
}

function notFound(message: string): ResolveProblem {
  return { code: 'plugin_not_found', message };
}

function incompatible(message: string): ResolveProblem {
  return { code: 'plugin_incompatible', message };
}

/** The URL of a module in a folder, or the `file:` URL itself: the module that imports are resolved for. */
function moduleIn(base: string): URL {
  return base.startsWith('file:') ? new URL(base) : pathToFileURL(join(base, 'patchbay.config.js'));
}

/** Conditions of `exports` that this process imports with: `--conditions` must hold for plugins as well. */
function importConditions(): Set<string> {
  const { values } = parseArgs({
    args: [...(process.env['NODE_OPTIONS'] ?? '').split(' '), ...process.execArgv],
    options: { conditions: { type: 'string', short: 'C', multiple: true } },
    strict: false,
  });
  return new Set(['node', 'import', ...(values.conditions ?? []).filter((name) => typeof name === 'string')]);
}

/** The packages that can be imported from these folders, by name, each with its own folder. */
export function installedPackages(folders: readonly string[]): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  for (const root of folders.flatMap((base) => createRequire(moduleIn(base)).resolve.paths('package') ?? [])) {
    const names = namesIn(root).flatMap((name) =>
      name.startsWith('@') ? namesIn(join(root, name)).map((inner) => `${name}/${inner}`) : [name],
    );
    // A package can be within reach in several folders; an import takes the first.
    for (const name of names) if (!packages.has(name)) packages.set(name, join(root, name));
  }
  return packages;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

function pluginOfModule(module: object): Plugin | string {
  const exported: unknown = Reflect.get(module, 'default');
  // A CommonJS module that was compiled from ESM: its `default` is the `default` of what Node treats as the default
  // export.
  const inner = typeof exported === 'object' && exported !== null ? Reflect.get(exported, 'default') : undefined;
  const found = [exported, inner].find(isPlugin);
  if (found !== undefined) return definitionFault(found) ?? found;

  const named = Object.entries(module).find(([, value]) => isPlugin(value))?.[0];
  if (named !== undefined) return `exports its plugin as "${named}": make it the default export`;
  if (exported === undefined) return 'has no default export: export what definePlugin returns';
  return 'is not a Patchbay plugin: its default export is not what definePlugin returns';
}

/** By its brand, so that a plugin created with another installed copy of the core is recognized as well. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && Reflect.get(value, '$$type') === 'patchbay.plugin';
}

/** The reason why a definition, perhaps written without types, cannot be used. */
function definitionFault({ definition }: Plugin): string | undefined {
  if (typeof definition?.name !== 'string') return 'has no name in its definition';
  if (!Object.hasOwn(contractVersions, definition.kind)) {
    const hint = didYouMean(String(definition.kind), Object.keys(contractVersions));
    return `is a plugin of a kind that this host does not know: "${definition.kind}"${hint}`;
  }
  if (!Number.isInteger(definition.version)) return 'has no integer version in its definition';
  if (typeof definition.config?.properties !== 'object') return 'has no config.properties in its definition';
  if (typeof definition.create !== 'function') return 'has no create function in its definition';
  const unknown = Object.entries(definition.deps ?? {}).find(([, ref]) => typeof ref?.id !== 'string');
  if (unknown !== undefined)
    return `has a dependency "${unknown[0]}" that is none of services: is its name misspelled?`;
  return undefined;
}
