import { realpathSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

type Hooks = { deregister(): void };
type Resolve = typeof nodeModule.registerHooks extends (hooks: infer H) => unknown ? H : never;

/**
 * Imports local modules again after changes, and tracks their imports.
 *
 * Node imports a URL once and never forgets it. So a changed file gets another URL, with a number in its query,
 * as does whatever imports it; everything else stays the one instance that others have. What was imported before
 * stays in memory: that is for developing.
 */
export function createFreshModules() {
  const entries = new Set<string>();
  const importers = new Map<string, Set<string>>();
  const versions = new Map<string, number>();
  let version = 0;

  const note = (file: string, importer: string | undefined): void => {
    const known = importers.get(file) ?? new Set<string>();
    importers.set(file, known);
    if (importer !== undefined) known.add(importer);
  };
  const resolve: NonNullable<Exclude<Resolve, undefined>['resolve']> = (specifier, context, next) => {
    const parent = fileOf(context.parentURL);
    const isFollowed = parent !== undefined && importers.has(parent) && isPath(specifier);
    try {
      const resolved = next(specifier, context);
      const file = fileOf(resolved.url);
      if (file === undefined || !(isFollowed || entries.has(file))) return resolved;
      note(file, isFollowed ? parent : undefined);
      const current = versions.get(file);
      // Modules that are loaded with `require` are removed from its cache instead.
      if (current === undefined || [...(context.conditions ?? [])].includes('require')) return resolved;
      if (resolved.format?.startsWith('commonjs')) return { url: requiring(file, current), format: 'module' };
      const url = new URL(resolved.url);
      url.searchParams.set('changed', String(current));
      return { ...resolved, url: url.href };
    } catch (error) {
      // Once it exists, its importer can be imported.
      const wanted = isFollowed ? fileOf(URL.parse(specifier, context.parentURL)?.href) : undefined;
      if (wanted !== undefined) note(wanted, parent);
      throw error;
    }
  };
  // Newer than the oldest Node that can run a server.
  const register = nodeModule.registerHooks as typeof nodeModule.registerHooks | undefined;
  const hooks: Hooks | undefined = register?.({ resolve });
  const required = createRequire(import.meta.url).cache;

  return {
    /** Whether this Node can do it. Otherwise a module stays as first imported. */
    canRefresh: hooks !== undefined,
    /** From now on, track these files and whatever they import by a path. */
    follow(files: readonly string[]): void {
      for (const file of files) entries.add(realPath(file));
    },
    /** Every file that was imported so far, and every file that was not found. */
    files: (): readonly string[] => [...new Set([...entries, ...importers.keys()])],
    /** Mark modules as changed: they and their importers are loaded again at their next import. */
    invalidate(changed: readonly string[]): void {
      version += 1;
      const stale = new Set(changed.map(realPath));
      for (const file of stale) {
        versions.set(file, version);
        delete required[file];
        for (const importer of importers.get(file) ?? []) stale.add(importer);
      }
    },
    close: () => hooks?.deregister(),
  };
}

/** A module that requires a file: Node does not import CommonJS a second time, whatever its URL. */
function requiring(file: string, version: number): string {
  const path = JSON.stringify(file);
  const text = `import { createRequire } from 'node:module'; export default createRequire(${path})(${path}); // ${version}`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

/** Packages are not followed: they change by being installed, which requires a restart. */
function isPath(specifier: string): boolean {
  return /^(\.{0,2}\/|file:|#)/.test(specifier);
}

function fileOf(url: string | undefined): string | undefined {
  if (!url?.startsWith('file:') || url.includes('/node_modules/')) return undefined;
  return fileURLToPath(url);
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
