import { mkdir, open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** Units used, not the time when a bucket is full: whole units add up without rounding, and policies may change. */
interface Bucket {
  readonly used: number;
  /** When `used` was right, in epoch milliseconds. */
  readonly at: number;
}

const TABLE = `CREATE TABLE IF NOT EXISTS bucket (
  key TEXT PRIMARY KEY, used REAL NOT NULL, at REAL NOT NULL, full_at REAL NOT NULL
) STRICT, WITHOUT ROWID`;

/** The buckets that are not full, in one file. Several connections may have it open. */
export type BucketFile = ReturnType<typeof prepareBuckets>;

/** Open the buckets in an existing file, which may be empty. */
export function openBucketFile(path: string): BucketFile {
  const database = openDatabase(path);
  try {
    return prepareBuckets(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareBuckets(database: SqliteDatabase) {
  // Such as the storage: its commits would hold up the limits, and the limits its commits.
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE tbl_name <> 'bucket'").get() !== undefined) {
    throw new Error('limiter-sqlite needs a separate file, and this one contains other tables');
  }
  database.pragma('journal_mode = WAL');
  // Nothing is flushed when a call returns. OFF would not flush at all, and a loss of power could damage the file.
  database.pragma('synchronous = NORMAL');
  database.exec(TABLE);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const find = database.prepare('SELECT used, at FROM bucket WHERE key = ?');
  const save = database.prepare('INSERT OR REPLACE INTO bucket (key, used, at, full_at) VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM bucket WHERE key = ?');
  const next = database.prepare('SELECT key, full_at AS fullAt FROM bucket WHERE key > ? ORDER BY key LIMIT ?');
  let sweptTo = '';

  return {
    /** Run a transaction with an exclusive write lock. Throws immediately if another process holds it. */
    change<T>(work: () => T): T {
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } finally {
        if (database.inTransaction) rollback.run();
      }
    },
    find: (key: string) => find.get(key) as Bucket | undefined,
    save: (key: string, { used, at }: Bucket, fullAt: number) => void save.run(key, used, at, fullAt),
    remove: (key: string) => void remove.run(key),
    /** Forget those that are full again, among the next `count` in the order of keys. */
    sweep(now: number, count: number): void {
      const rows = next.all(sweptTo, count) as { readonly key: string; readonly fullAt: number }[];
      for (const { key, fullAt } of rows) if (fullAt < now) remove.run(key);
      sweptTo = rows.length < count ? '' : (rows.at(-1)?.key ?? '');
    },
    close: () => void database.close(),
  };
}

/** Create the file and the folders above it, readable by their owner only, if they are missing. */
export async function createFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    // Never open and close a database that exists: closing drops the locks that SQLite holds for this process.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A prepared statement of better-sqlite3, which comes without types: the part that is used here. */
interface SqliteStatement {
  get(...parameters: readonly unknown[]): unknown;
  all(...parameters: readonly unknown[]): unknown[];
  run(...parameters: readonly unknown[]): unknown;
}

/** A connection of better-sqlite3: the part that is used here. Every call returns when SQLite is done. */
interface SqliteDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  pragma(text: string): unknown;
  close(): unknown;
}

type Driver = new (file: string, options: { readonly timeout: number }) => SqliteDatabase;

/** Open a file. A held lock fails immediately: waiting within SQLite would block the whole process. */
export function openDatabase(file: string): SqliteDatabase {
  // Built for Node-API 10: on an older Node the driver does not fail, it crashes the process.
  if (Number(process.versions['napi']) < 10) {
    throw new Error(`@patchbay/limiter-sqlite needs Node 22.14 or newer, and this is ${process.version}`);
  }
  const driver = createRequire(import.meta.url)('better-sqlite3') as Driver;
  return new driver(file, { timeout: 0 });
}

/** The result code of SQLite, such as `SQLITE_FULL`, where the error came from it. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : undefined;
}
