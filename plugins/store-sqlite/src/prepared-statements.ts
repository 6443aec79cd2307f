import type { Statement, StatementResult } from '@patchbay/store-typeorm';
import { isTaken } from './failures.ts';
import type { SqliteDatabase, SqliteStatement } from './sqlite-database.ts';

// Far more than there are shapes of questions; a bound in case somebody finds a way to make new ones.
const most = 500;

/** Runs statements on one connection and prepares each text only once. */
export class PreparedStatements {
  readonly #database: SqliteDatabase;
  readonly #prepared = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  first({ sql, parameters }: Statement): readonly unknown[] | undefined {
    return this.#prepare(sql).get(parameters);
  }

  all({ sql, parameters }: Statement): readonly (readonly unknown[])[] {
    return this.#prepare(sql).all(parameters);
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
      if (this.#prepared.size >= most) this.#prepared.clear();
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
