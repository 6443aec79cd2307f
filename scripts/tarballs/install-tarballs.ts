import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tarball } from './pack-all.ts';
import { run } from './run.ts';

/** An empty project with all of them, as npm installs them; its folder. */
export async function installTarballs(tarballs: readonly Tarball[], project: string): Promise<string> {
  await mkdir(project);
  const files = Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${file}`]));
  // The packages name each other by version, and these versions are in no registry yet.
  const overrides = Object.fromEntries(tarballs.map(({ name }) => [name, `$${name}`]));
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, type: 'module', dependencies: files, overrides }),
  );
  await run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'],
    project,
  );
  return project;
}
