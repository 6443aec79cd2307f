import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Statement, StatementResult } from '@patchbay/store-typeorm';
import { isTaken } from '../failures.ts';

// As in `PreparedStatements`: far more than there are shapes of queries.
const most = 500;

/** Whether a statement returns rows. The package does not report it. */
const answersRows = /^\s*(SELECT|PRAGMA)\b|\bRETURNING\b/i;

/** One connection of the package `sqlite3`. Its holder makes calls one after the other. */
export class Sqlite3Connection {
  readonly #handle: Sqlite3Handle;
  readonly #prepared = new Map<string, Sqlite3Statement>();

  private constructor(handle: Sqlite3Handle) {
    this.#handle = handle;
  }

  /** Open a file that exists, and set it up. */
  static async open(
    { Database, OPEN_READONLY, OPEN_READWRITE }: Sqlite3Package,
    file: string,
    role: 'read' | 'write',
    pragmas: readonly string[],
  ): Promise<Sqlite3Connection> {
    const handle = await new Promise<Sqlite3Handle>((resolve, reject) => {
      const opened: Sqlite3Handle = new Database(file, role === 'read' ? OPEN_READONLY : OPEN_READWRITE, (error) =>
        error ? reject(error) : resolve(opened),
      );
    });
    const connection = new Sqlite3Connection(handle);
    try {
      for (const pragma of pragmas) await connection.rows(`PRAGMA ${pragma}`, []);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async rows(sql: string, parameters: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const statement = await this.#prepare(sql);
    return await new Promise((resolve, reject) => {
      statement.all(parameters, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  }

  /** Rows as lists of their columns. No statement of ours names a column twice. */
  async all({ sql, parameters }: Statement): Promise<readonly (readonly unknown[])[]> {
    return (await this.rows(sql, parameters)).map((row) => Object.values(row));
  }

  async execute(given: Statement): Promise<StatementResult> {
    try {
      if (answersRows.test(given.sql)) {
        const rows = await this.all(given);
        return { changes: rows.length, rows, conflict: false };
      }
      return { changes: await this.run(given.sql, given.parameters), rows: [], conflict: false };
    } catch (error) {
      if (isTaken(error)) return { changes: 0, rows: [], conflict: true };
      throw error;
    }
  }

  /** The number of rows that were changed. */
  async run(sql: string, parameters: readonly unknown[] = []): Promise<number> {
    const statement = await this.#prepare(sql);
    return await new Promise((resolve, reject) => {
      statement.run(parameters, function ran(error) {
        if (error) reject(error);
        else resolve(this.changes);
      });
    });
  }

  async close(): Promise<void> {
    for (const statement of this.#prepared.values()) await new Promise((resolve) => statement.finalize(resolve));
    this.#prepared.clear();
    await new Promise<void>((resolve, reject) => {
      this.#handle.close((error) => (error ? reject(error) : resolve()));
    });
  }

  async #prepare(sql: string): Promise<Sqlite3Statement> {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = await new Promise<Sqlite3Statement>((resolve, reject) => {
      const prepared: Sqlite3Statement = this.#handle.prepare(sql, (error) =>
        error ? reject(error) : resolve(prepared),
      );
    });
    const [oldest] = this.#prepared;
    if (oldest !== undefined && this.#prepared.size >= most) {
      this.#prepared.delete(oldest[0]);
      await new Promise((resolve) => oldest[1].finalize(resolve));
    }
    this.#prepared.set(sql, statement);
    return statement;
  }
}

type Callback<T> = (error: Error | null, result: T) => void;

/** A prepared statement of the package `sqlite3`: the part that is used here. */
interface Sqlite3Statement {
  all(parameters: readonly unknown[], done: Callback<readonly Readonly<Record<string, unknown>>[]>): void;
  run(parameters: readonly unknown[], done: (this: { readonly changes: number }, error: Error | null) => void): void;
  finalize(done: (error: Error | null) => void): void;
}

/** A connection of the package `sqlite3`: the part that is used here. SQLite works in a thread, and calls back. */
interface Sqlite3Handle {
  prepare(sql: string, done: (error: Error | null) => void): Sqlite3Statement;
  close(done: (error: Error | null) => void): void;
}

export interface Sqlite3Package {
  readonly OPEN_READONLY: number;
  readonly OPEN_READWRITE: number;
  readonly Database: new (file: string, mode: number, opened: (error: Error | null) => void) => Sqlite3Handle;
}

/**
 * The package, from the folder of the config or from next to this plugin. No package depends on it, because it
 * must be compiled where it is installed.
 *
 * @throws Error that names the package to install.
 */
export function loadSqlite3(directory: string): Sqlite3Package {
  let failure: unknown;
  for (const from of [join(directory, 'package.json'), import.meta.url]) {
    try {
      return createRequire(from)('sqlite3') as Sqlite3Package;
    } catch (error) {
      // A package that is there and does not load is a better reason than one that is missing.
      if (failure === undefined || (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') failure = error;
    }
  }
  throw new Error('driver: sqlite3 needs the package sqlite3, which cannot be loaded: npm install sqlite3@6.0.1', {
    cause: failure,
  });
}
