import { createRequire } from 'node:module';
import type { Statement, StatementResult } from '@patchbay/store-typeorm';
import { type ConnectionOptions, pragmas, type RowLists, type SqliteDriver, type WriterConnection } from './driver.ts';
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
  close(): void;
}

/** The package, as far as it is used here. */
export type BetterSqlite3 = new (
  file: string,
  options: { readonly readonly: boolean; readonly timeout: number },
) => SqliteDatabase;

/** The default driver, which is synchronous. */
export const betterSqlite3: SqliteDriver = {
  check: () => requireNodeApi(),

  async open(options) {
    const write = connect(options, 'write');
    try {
      write.pragma('busy_timeout = 0');
      const read = connect(options, 'read');
      const snapshot = new SharedSnapshot(new PreparedStatements(read));
      return {
        writer: immediateWrites(write, () => snapshot.end()),
        read: (statements) => snapshot.read(statements),
        async close() {
          snapshot.end();
          read.close();
          // Last, because the last one tidies up the file.
          write.close();
        },
      };
    } catch (error) {
      write.close();
      throw error;
    }
  },

  async openForMigrations(options) {
    const { betterSqlite3DataSource } = await import('./better-sqlite3-data-source.ts');
    return await betterSqlite3DataSource(options);
  },
};

export const loadBetterSqlite3 = (): BetterSqlite3 => createRequire(import.meta.url)('better-sqlite3');

/** Built for Node-API 10: on an older Node the driver does not fail, it takes the process down. */
export function requireNodeApi(nodeApi = Number(process.versions['napi'])): void {
  if (nodeApi >= 10) return;
  throw new Error(`@patchbay/store-sqlite needs Node 22.14 or newer, and this is ${process.version}`);
}

export function connect(options: ConnectionOptions, role: 'read' | 'write'): SqliteDatabase {
  const Database = loadBetterSqlite3();
  const database = new Database(options.file, { readonly: role === 'read', timeout: options.busyTimeoutMs });
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

/**
 * One read transaction for the reads of a turn of the event loop: every transaction takes locks on the file, against other
 * processes, and a read outside of it has its own one. For a single read that is cheaper, and for several it is not:
 * a turn is expected to be like the one before.
 *
 * The writer ends it first, so that a read never misses what this process has acknowledged. What another process commits
 * is seen a turn later at most.
 */
class SharedSnapshot {
  readonly #reads: PreparedStatements;
  #isOpen = false;
  /** Reads of this turn. */
  #count = 0;
  #isShared = false;

  constructor(reads: PreparedStatements) {
    this.#reads = reads;
  }

  read(statements: readonly Statement[]): RowLists {
    if (this.#isShared || this.#count > 0 || statements.length > 1) this.#begin();
    if (this.#count === 0) setImmediate(() => this.#endTurn());
    this.#count += 1;
    return statements.map((statement) => this.#reads.rows(statement));
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#reads.run('COMMIT');
    } catch {
      // No caller waits for this. If the transaction is still open, the next read fails to open one, and its caller learns it.
    }
  }

  #begin(): void {
    if (this.#isOpen) return;
    this.#reads.run('BEGIN');
    this.#isOpen = true;
  }

  #endTurn(): void {
    this.#isShared = this.#count > 1;
    this.#count = 0;
    this.end();
  }
}

/**
 * Writes within one turn of the event loop: a group has the connection to itself.
 *
 * @param beforeGroup Called before each transaction.
 */
export function immediateWrites(database: SqliteDatabase, beforeGroup: () => void = () => {}): WriterConnection {
  const prepared = new PreparedStatements(database);
  let isFlushing = true;
  return {
    setFlushing(next) {
      if (next === isFlushing) return;
      // SQLite carries this out when it compiles the statement, so that one that is kept would do it once.
      database.pragma(`synchronous = ${next ? 'FULL' : 'NORMAL'}`);
      isFlushing = next;
    },
    run(steps) {
      beforeGroup();
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
