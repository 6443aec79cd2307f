/** The part of a connection that is used here. */
interface Reader {
  run(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Connections for reading. Each is lent to one reader at a time, so that what belongs together sees one state. */
export class ReaderPool<C extends Reader> {
  readonly #all: readonly C[];
  readonly #free: C[];
  readonly #waiting: ((connection: C) => void)[] = [];

  constructor(connections: readonly C[]) {
    this.#all = connections;
    this.#free = [...connections];
  }

  async use<T>(body: (connection: C) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await body(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(connection);
      else next(connection);
    }
  }

  /** The same in one transaction: several statements see one state of the database. */
  async snapshot<T>(body: (connection: C) => Promise<T>): Promise<T> {
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
    // Taken for good: one that came back would be lent to whoever waits to close another.
    await Promise.all(this.#all.map(async () => await (await this.#take()).close()));
  }

  async #take(): Promise<C> {
    return this.#free.pop() ?? (await new Promise<C>((lend) => this.#waiting.push(lend)));
  }
}
