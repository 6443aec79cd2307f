import type { Sqlite3Connection } from './sqlite3-connection.ts';

/** Connections for reading. Each is lent to one reader at a time, so that what belongs together sees one state. */
export class ReaderPool {
  readonly #all: readonly Sqlite3Connection[];
  readonly #free: Sqlite3Connection[];
  readonly #waiting: ((connection: Sqlite3Connection) => void)[] = [];

  constructor(connections: readonly Sqlite3Connection[]) {
    this.#all = connections;
    this.#free = [...connections];
  }

  async use<T>(body: (connection: Sqlite3Connection) => Promise<T>): Promise<T> {
    const connection = this.#free.pop() ?? (await new Promise<Sqlite3Connection>((lend) => this.#waiting.push(lend)));
    try {
      return await body(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(connection);
      else next(connection);
    }
  }

  /** The same in one transaction: several statements see one state of the database. */
  async snapshot<T>(body: (connection: Sqlite3Connection) => Promise<T>): Promise<T> {
    return await this.use(async (connection) => {
      await connection.run('BEGIN');
      try {
        return await body(connection);
      } finally {
        await connection.run('COMMIT');
      }
    });
  }

  /** Close them once nobody reads any more. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map(async () => await this.use((connection) => connection.close())));
  }
}
