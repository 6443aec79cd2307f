import { openDatabase, type SqliteDatabase } from './sqlite-database.ts';

/** Units used, not the time when a bucket is full: whole units add up without rounding, and policies may change. */
export interface Bucket {
  readonly used: number;
  /** When `used` was right, in epoch milliseconds. */
  readonly at: number;
}

/** The buckets that are not full, in one file. Several connections may have it open. */
export interface BucketFile {
  /** Do all of it or nothing, with nobody else between reading and writing. Throws at once where somebody else writes. */
  change<T>(work: () => T): T;
  find(key: string): Bucket | undefined;
  save(key: string, bucket: Bucket, fullAt: number): void;
  remove(key: string): void;
  /** Forget those that are full again, among the next `count` in the order of keys. */
  sweep(now: number, count: number): void;
  close(): void;
}

const TABLE = `CREATE TABLE IF NOT EXISTS bucket (
  key TEXT PRIMARY KEY, used REAL NOT NULL, at REAL NOT NULL, full_at REAL NOT NULL
) STRICT, WITHOUT ROWID`;

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

function prepareBuckets(database: SqliteDatabase): BucketFile {
  // Such as the storage: its commits would hold up the limits, and the limits its commits.
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE tbl_name <> 'bucket'").get() !== undefined) {
    throw new Error('limiter-sqlite needs a file of its own, and this one has other tables');
  }
  database.pragma('journal_mode = WAL');
  // Nothing is flushed when a call is answered. OFF would not flush at all, and a loss of power could damage the file.
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
    change(work) {
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } finally {
        if (database.inTransaction) rollback.run();
      }
    },
    find: (key) => find.get(key) as Bucket | undefined,
    save: (key, { used, at }, fullAt) => void save.run(key, used, at, fullAt),
    remove: (key) => void remove.run(key),
    sweep(now, count) {
      const rows = next.all(sweptTo, count) as { readonly key: string; readonly fullAt: number }[];
      for (const { key, fullAt } of rows) if (fullAt < now) remove.run(key);
      sweptTo = rows.length < count ? '' : (rows.at(-1)?.key ?? '');
    },
    close: () => void database.close(),
  };
}
