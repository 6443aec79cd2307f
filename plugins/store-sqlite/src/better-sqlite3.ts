import { createRequire } from 'node:module';
import type { Statement, StatementResult } from '@patchbay/store-typeorm';
import { type ConnectionOptions, type ConnectionRole, isReadOnly, pragmas, type WriterConnection } from './driver.ts';
import { isTaken } from './failures.ts';

/** A prepared statement of better-sqlite3, which comes without types: the part that is used here. */
interface SqliteStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  /** Return each row as an array of its columns. */
  raw(on: boolean): SqliteStatement;
  all(parameters: readonly unknown[]): unknown[][];
  /** The first row. */
  get(parameters: readonly unknown[]): unknown[] | undefined;
  run(parameters: readonly unknown[]): { readonly changes: number };
}

/** A connection of better-sqlite3: the part that is used here. Every call returns when SQLite is done. */
export interface SqliteDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  pragma(text: string): unknown;
  /** Carry out statements whose rows are not needed. */
  exec(sql: string): unknown;
  close(): void;
}

/** The package, as far as it is used here. */
export type BetterSqlite3 = new (
  file: string,
  options: { readonly readonly: boolean; readonly timeout: number },
) => SqliteDatabase;

export const loadBetterSqlite3 = (): BetterSqlite3 => createRequire(import.meta.url)('better-sqlite3');

/** Built for Node-API 10: on an older Node the driver does not fail, it crashes the process. */
export function requireNodeApi(nodeApi = Number(process.versions['napi'])): void {
  if (nodeApi >= 10) return;
  throw new Error(`@patchbay/store-sqlite needs Node 22.14 or newer, and this is ${process.version}`);
}

export function connect(options: ConnectionOptions, role: ConnectionRole): SqliteDatabase {
  const Database = loadBetterSqlite3();
  const database = new Database(options.file, { readonly: isReadOnly(options, role), timeout: options.busyTimeoutMs });
  try {
    for (const pragma of pragmas(options, role)) database.pragma(pragma);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

// Far more than there are shapes of queries; a bound in case a caller finds a way to make new ones.
const MAX_PREPARED = 500;

/** Runs statements on one connection and prepares each text only once. */
export class PreparedStatements {
  readonly #database: SqliteDatabase;
  readonly #prepared = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  rows({ sql, parameters, isSingle }: Statement): readonly (readonly unknown[])[] {
    const statement = this.#prepare(sql);
    if (!isSingle) return statement.all(parameters);
    const row = statement.get(parameters);
    return row === undefined ? [] : [row];
  }

  execute({ sql, parameters }: Statement): StatementResult {
    const statement = this.#prepare(sql);
    try {
      if (!statement.reader) return { changes: statement.run(parameters).changes, rows: [], conflict: false };
      const rows = statement.all(parameters);
      return { changes: rows.length, rows, conflict: false };
    } catch (error) {
      if (isTaken(error)) return { changes: 0, rows: [], conflict: true };
      throw error;
    }
  }

  run(sql: string): void {
    this.#prepare(sql).run([]);
  }

  #prepare(sql: string): SqliteStatement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      if (statement.reader) statement.raw(true);
      if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

/** Writes within one turn of the event loop: a group has the connection to itself. */
export function immediateWrites(database: SqliteDatabase): WriterConnection {
  const prepared = new PreparedStatements(database);
  let isFlushing = true;
  return {
    setFlushing(next) {
      if (next === isFlushing) return;
      // SQLite carries this out when it compiles the statement, so that one that is kept would do it once.
      database.exec(`PRAGMA synchronous = ${next ? 'FULL' : 'NORMAL'}`);
      isFlushing = next;
    },
    run(steps) {
      let step = steps.next();
      while (step.done !== true) {
        let result: StatementResult;
        try {
          result = prepared.execute(step.value);
        } catch (error) {
          step = steps.throw(error);
          continue;
        }
        step = steps.next(result);
      }
      return step.value;
    },
    isInTransaction: () => database.inTransaction,
  };
}
