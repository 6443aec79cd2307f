import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from './account.ts';

export interface DataFolderOptions {
  /** Of PostgreSQL. */
  readonly programs: string;
  readonly root: string;
  readonly account: Account | undefined;
}

/**
 * Makes `root/data`, a database folder. Within a run of tests, which names its folder in `PATCHBAY_TEST_RUN`, it is a copy of the
 * first one made: `initdb` takes almost a second of CPU.
 */
export function makeDataFolder({ programs, root, account }: DataFolderOptions): void {
  const data = join(root, 'data');
  const run = process.env['PATCHBAY_TEST_RUN'];
  const first = run === undefined ? undefined : join(run, 'postgres-data');
  if (first !== undefined && existsSync(first) && copy(first, data)) return;
  const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions', '--locale=C'];
  const { status, stderr, error } = spawnSync(join(programs, 'bin', 'initdb'), ['-D', data, ...flags], {
    ...account,
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`, { cause: error });
  if (first !== undefined) keep(data, first);
}

/** Others never find half of it: it gets its name when it is complete. */
function keep(data: string, first: string): void {
  const part = `${first}-${process.pid}`;
  try {
    if (copy(data, part)) renameSync(part, first);
  } catch {
    // Another process was first.
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** With owners and modes, which PostgreSQL checks. */
function copy(from: string, to: string): boolean {
  if (spawnSync('cp', ['-Rp', from, to], { stdio: 'ignore' }).status === 0) return true;
  rmSync(to, { recursive: true, force: true });
  return false;
}
