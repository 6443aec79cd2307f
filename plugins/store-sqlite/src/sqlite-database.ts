/** A prepared statement of better-sqlite3, which comes without types: the part that is used here. */
export interface SqliteStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  /** Return each row as an array of its columns. */
  raw(on: boolean): SqliteStatement;
  all(parameters: readonly unknown[]): unknown[][];
  get(parameters: readonly unknown[]): unknown[] | undefined;
  run(parameters: readonly unknown[]): { readonly changes: number };
}

/** A connection of better-sqlite3: the part that is used here. Every call returns when SQLite is done. */
export interface SqliteDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  pragma(text: string): unknown;
}
