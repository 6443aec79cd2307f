import type { Statement } from '@patchbay/store-typeorm';
import {
  type ConnectionOptions,
  type ConnectionRole,
  deferredWrites,
  isReadOnly,
  pragmas,
  type RowLists,
  type SqliteDriver,
} from '../driver.ts';
import { GroupWriter } from '../group-writer.ts';
import { Sqlite3Connection, type Sqlite3Package } from './sqlite3-connection.ts';

/** SQLite works in the threads of libuv, of which there are four, and files and names need some, too. */
const READERS = 2;

/** The package `sqlite3`, in whose threads a long query does not hold up the event loop. */
export function sqlite3Driver(load: () => Sqlite3Package): SqliteDriver {
  const connect = async (options: ConnectionOptions, role: ConnectionRole): Promise<Sqlite3Connection> => {
    const busyTimeout = `busy_timeout = ${role === 'write' ? 0 : options.busyTimeoutMs}`;
    const setUp = [busyTimeout, ...pragmas(options, role)];
    return await Sqlite3Connection.open(load(), options.file, isReadOnly(options, role) ? 'read' : 'write', setUp);
  };

  return {
    check: () => void load(),

    async open(options) {
      const write = await connect(options, 'write');
      const readers: Sqlite3Connection[] = [];
      try {
        while (readers.length < READERS) readers.push(await connect(options, 'read'));
      } catch (error) {
        for (const connection of [...readers, write]) await connection.close();
        throw error;
      }
      const pool = new ReaderPool(readers);
      return {
        writer: new GroupWriter(
          deferredWrites((statement) => write.execute(statement)),
          options.busyTimeoutMs,
        ),
        read: async (statements) => await pool.read(statements),
        async close() {
          await pool.close();
          // Last, because the last one tidies up the file.
          await write.close();
        },
      };
    },

    async look(options, statement) {
      const connection = await connect(options, 'look');
      try {
        return await connection.all(statement);
      } finally {
        await connection.close();
      }
    },

    async run(options, statements) {
      const connection = await connect(options, 'write');
      try {
        let rows: readonly (readonly unknown[])[] = [];
        for (const statement of statements) ({ rows } = await connection.execute(statement));
        return rows;
      } finally {
        await connection.close();
      }
    },

    async openForMigrations(options) {
      const { sqlite3DataSource } = await import('./typeorm-driver.ts');
      return await sqlite3DataSource(options.file, await connect(options, 'write'));
    },
  };
}

/** The part of a connection that a pool uses. */
type Reader = Pick<Sqlite3Connection, 'all' | 'run' | 'close'>;

/** Connections for reading. Each is lent to one reader at a time, so that what belongs together sees one state. */
export class ReaderPool {
  readonly #all: readonly Reader[];
  readonly #free: Reader[];
  readonly #waiting: ((connection: Reader) => void)[] = [];

  constructor(connections: readonly Reader[]) {
    this.#all = connections;
    this.#free = [...connections];
  }

  async read(statements: readonly Statement[]): Promise<RowLists> {
    const connection = await this.#take();
    try {
      // A single statement sees one state without a transaction.
      if (statements.length === 1) return await readAll(connection, statements);
      await connection.run('BEGIN');
      try {
        return await readAll(connection, statements);
      } finally {
        await connection.run('COMMIT');
      }
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(connection);
      else next(connection);
    }
  }

  /** Close each connection once its last reader is done. */
  async close(): Promise<void> {
    // Taken permanently: a returned one would be lent to the caller that waits to close another.
    await Promise.all(this.#all.map(async () => await (await this.#take()).close()));
  }

  async #take(): Promise<Reader> {
    return this.#free.pop() ?? (await new Promise<Reader>((lend) => this.#waiting.push(lend)));
  }
}

async function readAll(connection: Reader, statements: readonly Statement[]): Promise<RowLists> {
  const lists: (readonly (readonly unknown[])[])[] = [];
  for (const statement of statements) lists.push(await connection.all(statement));
  return lists;
}
