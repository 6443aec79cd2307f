import { mkdir } from 'node:fs/promises';
import type { Tarball } from './pack-all.ts';
import { run } from './run.ts';
import { writeManifest } from './write-manifest.ts';

/** An empty project with all of them, as npm installs them; its folder. */
export async function installTarballs(tarballs: readonly Tarball[], project: string): Promise<string> {
  await mkdir(project);
  await writeManifest(tarballs, project);
  await run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'],
    project,
  );
  return project;
}
