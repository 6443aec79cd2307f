import { createRequire } from 'node:module';

/** A prepared statement of better-sqlite3, which comes without types: the part that is used here. */
export interface SqliteStatement {
  get(...parameters: readonly unknown[]): unknown;
  all(...parameters: readonly unknown[]): unknown[];
  run(...parameters: readonly unknown[]): unknown;
}

/** A connection of better-sqlite3: the part that is used here. Every call returns when SQLite is done. */
export interface SqliteDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  pragma(text: string): unknown;
  close(): unknown;
}

type Driver = new (file: string, options: { readonly timeout: number }) => SqliteDatabase;

/** Open a file. A lock that somebody else holds fails at once: waiting within SQLite would hold up the whole process. */
export function openDatabase(file: string): SqliteDatabase {
  // Built for Node-API 10: on an older Node the driver does not fail, it takes the process down.
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
