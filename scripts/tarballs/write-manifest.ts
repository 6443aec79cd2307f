import { writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { Tarball } from './pack-all.ts';

/**
 * Write a package.json by which npm installs packages from tarballs: they name each other by version, and these versions are
 * in no registry.
 *
 * @param folder Where it is written. The tarballs are named relative to it, so that both can be copied elsewhere.
 */
export async function writeManifest(tarballs: readonly Tarball[], folder: string): Promise<void> {
  const dependencies = Object.fromEntries(
    tarballs.map(({ name, file }) => [name, `file:${relative(folder, file) || basename(file)}`]),
  );
  const overrides = Object.fromEntries(tarballs.map(({ name }) => [name, `$${name}`]));
  const manifest = { name: 'patchbay-installation', private: true, type: 'module', dependencies, overrides };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
