import type { Statement, StatementResult } from '@patchbay/store-typeorm';
import { isTaken } from '../failures.ts';
import type { Sqlite3Handle, Sqlite3Package, Sqlite3Statement } from './sqlite3-package.ts';

// As in `PreparedStatements`: far more than there are shapes of questions.
const most = 500;

/** Whether a statement answers with rows. The package does not tell. */
const answersRows = /^\s*(SELECT|PRAGMA)\b|\bRETURNING\b/i;

/** One connection of the package `sqlite3`. Its calls are made one after the other, by whoever holds it. */
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
