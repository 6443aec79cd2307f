import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Health } from '@patchbay/core/plugin';
import { describeFailure, sqliteCode } from './failures.ts';

/** A write-ahead log that nobody could fold up for a while, and some hours to do something about it. */
const SCARCE_BYTES = 64 * 1024 * 1024;

/** How the disk is that a database is on: the time to act is before it is full. */
export async function spaceHealth(file: string, scarceBytes = SCARCE_BYTES): Promise<Health> {
  try {
    const { bavail, bsize } = await statfs(dirname(file));
    const free = bavail * bsize;
    if (free >= scarceBytes) return { status: 'pass' };
    return {
      status: 'warn',
      detail: `only ${Math.floor(free / 1024 / 1024)} MiB are left on the disk of the database`,
    };
  } catch {
    // Not every file system tells.
    return { status: 'pass' };
  }
}

/** Why a database cannot be opened: SQLite says the same of a folder that may not be written to and of much else. */
export async function describeOpenFailure(file: string, error: unknown, scarceBytes = SCARCE_BYTES): Promise<string> {
  const said = describeFailure(error);
  const code = sqliteCode(error) ?? '';
  if (/^SQLITE_(IOERR|FULL)/.test(code)) {
    const { detail } = await spaceHealth(file, scarceBytes);
    return detail === undefined ? said : `${said}: ${detail}`;
  }
  if (!/^SQLITE_(CANTOPEN|READONLY)/.test(code)) return said;
  try {
    await access(dirname(file), constants.W_OK);
    await access(file, constants.W_OK);
    return said;
  } catch (cause) {
    return `${said}: this process may not write there (${(cause as NodeJS.ErrnoException).code})`;
  }
}
