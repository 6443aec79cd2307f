import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { errorMessage } from '../base/error-message.ts';
import { didYouMean } from '../base/names.ts';
import { withTimeout } from '../base/signals.ts';
import type { Plugin } from '../contracts/define-plugin.ts';
import { resolveFrom } from './import-from.ts';
import { installedPackages } from './installed-packages.ts';
import { placeOfSyntaxError } from './place-of-syntax-error.ts';
import { placeOfThrow } from './place-of-throw.ts';
import { manifestFault, readPluginManifest } from './plugin-manifest.ts';
import { definitionFault, isPlugin, pluginOfModule } from './plugin-of-module.ts';

export interface ResolveOptions {
  /** Folder of the config. Paths are relative to it, and packages are looked for from there first. */
  readonly directory: string;
  /** Further folders, or URLs of modules, from which packages are looked for. */
  readonly bases: readonly string[];
  /** Milliseconds that the import of one module may take. */
  readonly timeoutMs: number;
}

export interface ResolveProblem {
  readonly code: 'plugin_not_found' | 'plugin_incompatible';
  readonly message: string;
}

/** The plugin that `use` of a mount stands for: the plugin itself, a package name or a path. */
export async function resolvePlugin(use: unknown, options: ResolveOptions): Promise<Plugin | ResolveProblem> {
  if (isPlugin(use)) return checked('the plugin', definitionFault(use) ?? use);
  if (typeof use !== 'string') {
    return incompatible('must be a package name, a path that begins with "./", or what definePlugin returns');
  }
  const module = await importModule(use, options, (url) => {
    // A module of a file of one's own need not fit the package that it happens to be in.
    const manifest = isPath(use) ? undefined : readPluginManifest(url);
    return manifest && manifestFault(manifest);
  });
  return 'message' in module ? module : checked(use, pluginOfModule(module.exports));
}

/**
 * What a module exports that a config names by its package or path, or why that cannot be known.
 *
 * @param faultOf What is wrong with the module of this URL, so that it is not imported. Default: nothing.
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
  const place = placeOfThrow(error, isFile ? [directory, dirname(fileURLToPath(url))] : [directory]);
  const isSyntax = (Object(error) as { readonly name?: unknown }).name === 'SyntaxError';
  return place === '' && isSyntax && isFile ? await placeOfSyntaxError(url, directory) : place;
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
  // A path is no URL: "#", "?" and "%" are letters in it.
  const specifier = path && !use.startsWith('file:') ? pathToFileURL(resolve(directory, use)).href : use;
  let missing = '';
  for (const folder of folders) {
    try {
      return resolveFrom(folder, specifier);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_UNSUPPORTED_DIR_IMPORT') return notFound(`${use} is a folder: name the file in it`);
      if (code !== 'ERR_MODULE_NOT_FOUND') return notFound(`${use} cannot be imported: ${errorMessage(error)}`);
      missing = errorMessage(error);
    }
  }
  if (path) return notFound(`${use} does not exist`);
  const installed = installedPackages(folders);
  // The package is there, and the file that its package.json names is not: it was not built, or not packed.
  if (installed.includes(packageName(use))) {
    const file = /'([^']+)'/.exec(missing)?.[1] ?? '';
    const within = file.split(`/${packageName(use)}/`).at(-1) ?? file;
    return notFound(`${use} cannot be imported: its file ${within} is not there. Has it been built?`);
  }
  const hint = didYouMean(
    use,
    installed.filter((name) => isNearInScope(use, name)),
  );
  return notFound(`${use} is not installed${hint === '' ? `: run "npm install ${packageName(use)}"` : hint}`);
}

/** Whether `use` of a mount names a file, and not a package. */
export function isPath(use: string): boolean {
  return /^(\.{0,2}\/|[a-z]:\\|file:)/i.test(use);
}

/** Two packages of one scope are not alike because of the scope. */
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
