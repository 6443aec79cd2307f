import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Health, PatchbayError } from '@patchbay/core/plugin';

/** The result code of SQLite, such as `SQLITE_FULL`, where the error came from it. */
export function sqliteCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && code.startsWith('SQLITE_')) return code;
  // TypeORM wraps what its driver throws.
  return 'driverError' in error ? sqliteCode(error.driverError) : undefined;
}

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_BUSY') === true;
}

/** A unique constraint refused the statement. */
export function isTaken(error: unknown): boolean {
  const code = sqliteCode(error);
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return true;
  // The package sqlite3 reports no more than this, and names the constraint in its message.
  return code === 'SQLITE_CONSTRAINT' && (error as Error).message.includes('UNIQUE constraint failed');
}

/**
 * Codes that a retry would get again: a value is missing, breaks a check, has another type or is too large. Only what
 * fails with its own statement: constraints that are checked at the end reject a group of commits, most of which are
 * sound.
 */
const rejections = /^SQLITE_(CONSTRAINT_(NOTNULL|CHECK|DATATYPE)|MISMATCH|TOOBIG|RANGE)/;

/** The error for the caller: those of SQLite become `storage_unavailable`, unless it refuses the values. */
export function toStorageError(error: unknown): unknown {
  if (rejections.test(sqliteCode(error) ?? ''))
    return new TypeError('a value does not fit its field', { cause: error });
  return sqliteCode(error) === undefined ? error : unavailable('the storage could not do this right now', error);
}

/** The error of a migration, for an operator: it names the file and the cause, with what SQLite said where we have no words. */
export function migrationFailure(file: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const known = reasonOf(code);
  // SQLite names tables, columns and constraints, and quotes no values. TypeORM puts the name of a class before it.
  const { driverError = error } = error as { readonly driverError?: unknown };
  const cause = known ?? (driverError as Error).message;
  return unavailable(`${file} could not be migrated: ${cause} (${code})`, error);
}

export function unavailable(message: string, cause?: unknown): PatchbayError {
  return new PatchbayError('storage_unavailable', message, { cause, retryAfter: 1 });
}

const reasons: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'no space is left for the database',
  SQLITE_BUSY: 'another process holds the lock of the database',
  SQLITE_READONLY: 'the database cannot be written to',
  SQLITE_IOERR: 'reading or writing the database failed',
  SQLITE_CORRUPT: 'the database is damaged',
  SQLITE_NOTADB: 'the file is damaged, or no database',
  SQLITE_CANTOPEN: 'the database cannot be opened',
};

/** The reason in a sentence for an operator, without a path or SQL. */
export function describeFailure(error: unknown): string {
  const code = sqliteCode(error) ?? 'no result code';
  return `${reasonOf(code) ?? 'the database failed'} (${code})`;
}

function reasonOf(code: string): string | undefined {
  return reasons[code.split('_').slice(0, 2).join('_')];
}

/** Room for a write-ahead log that was not checkpointed for a while, and some hours to react. */
const SCARCE_BYTES = 64 * 1024 * 1024;

/** The state of the disk that a database is on: the time to act is before it is full. */
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
    // Not every file system reports it.
    return { status: 'pass' };
  }
}

/** Why a database cannot be opened: SQLite reports the same for a folder that is not writable and for much else. */
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
