import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { PatchbayError } from '@patchbay/core/plugin';
import { packageNameOf } from './refused-syntax.ts';

/** A package that functions may import, where it is installed. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Its folder, with links resolved. */
  readonly folder: string;
}

/**
 * Find packages as Node would from a folder: in `node_modules` there, or in the first folder above that has them.
 *
 * @param versions The exact version of each, by name.
 * @throws PatchbayError `plugin_start_failed` for one that is missing or has another version. Nothing is ever installed.
 */
export async function findPackages(
  versions: Readonly<Record<string, string>>,
  directory: string,
): Promise<readonly InstalledPackage[]> {
  return await Promise.all(
    Object.entries(versions).map(async ([name, version]) => {
      if (packageNameOf(name) !== name) throw unusable(name, 'is no name of a package');
      const found = await findPackage(name, path.resolve(directory));
      if (found === undefined)
        throw unusable(name, `is not installed: run "npm install --save-exact ${name}@${version}"`);
      if (found.version !== version) throw unusable(name, `has version ${found.version}, and ${version} is configured`);
      return { name, version, folder: found.folder };
    }),
  );
}

async function findPackage(
  name: string,
  directory: string,
): Promise<{ readonly folder: string; readonly version: string } | undefined> {
  const folder = path.join(directory, 'node_modules', ...name.split('/'));
  const version = await versionOf(folder);
  if (version !== undefined) return { folder: await realpath(folder), version };
  const above = path.dirname(directory);
  return above === directory ? undefined : await findPackage(name, above);
}

/** The version that a folder's package says it has. */
async function versionOf(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    const { version } = manifest as { readonly version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

const unusable = (name: string, what: string): PatchbayError =>
  new PatchbayError('plugin_start_failed', `imports: the package "${name}" ${what}`);
