import type { Statement } from '@patchbay/store-typeorm';
import { connect, PreparedStatements, requireNodeApi } from './better-sqlite3.ts';
import type { ConnectionOptions, OpenDatabase, RowLists, SqliteDriver } from './driver.ts';
import { KnownRows } from './known-rows.ts';
import { ThreadedWriter } from './threaded-writer.ts';
import { WriterThread } from './writer-thread.ts';

/**
 * The default driver: reads are synchronous, and a thread writes batches.
 *
 * @param thread Writes to all files that are opened, and is not ended with them. Default: one for each file.
 */
export function betterSqlite3(thread?: WriterThread): SqliteDriver {
  return {
    check: () => requireNodeApi(),

    async open(options) {
      const own = thread ?? new WriterThread();
      const end = async () => {
        if (own !== thread) await own.end();
      };
      try {
        const opened = await openWith(own, options);
        return {
          ...opened,
          async close() {
            await opened.close();
            await end();
          },
        };
      } catch (error) {
        await end();
        throw error;
      }
    },

    async run(options, statements) {
      const connection = connect(options, 'write');
      try {
        const prepared = new PreparedStatements(connection);
        return statements.map((statement) => prepared.execute(statement).rows).at(-1) ?? [];
      } finally {
        connection.close();
      }
    },

    async openForMigrations(options) {
      const { betterSqlite3DataSource } = await import('./better-sqlite3-data-source.ts');
      return await betterSqlite3DataSource(options);
    },
  };
}

async function openWith(thread: WriterThread, options: ConnectionOptions): Promise<OpenDatabase> {
  let snapshot: SharedSnapshot | undefined;
  // It prepares the file for readers.
  const writer = new ThreadedWriter(thread, options, () => snapshot?.end());
  try {
    const read = connect(options, 'read');
    const shared = new SharedSnapshot(new PreparedStatements(read));
    snapshot = shared;
    return {
      writer,
      read: (statements) => shared.read(statements),
      async close() {
        shared.end();
        read.close();
        // Last, because the last one tidies up the file.
        await writer.close();
      },
    };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** A number that changes with every commit of any other connection; this one never commits. */
const dataVersion: Statement = { sql: 'PRAGMA data_version', parameters: [], isSingle: true };

/**
 * One read transaction for the reads of a turn of the event loop: every transaction takes locks on the file, against other
 * processes, and a read outside of it has its own one. For a single read that is cheaper, and for several it is not:
 * a turn is expected to be like the one before.
 *
 * It ends before a commit is acknowledged, so that a read never misses what this process has acknowledged. What another process
 * commits is seen a turn later at most.
 */
class SharedSnapshot {
  readonly #reads: PreparedStatements;
  readonly #knownRows = new KnownRows();
  #isOpen = false;
  /** Whether the version of the open transaction was compared. */
  #hasVersion = false;
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
    const find = (statement: Statement) => this.#reads.rows(statement);
    if (statements.length === 1) return statements.map(find);
    this.#checkVersion();
    return this.#knownRows.read(statements, find);
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#reads.run('COMMIT');
    } catch {
      // No caller waits for this. If the transaction is still open, the next read fails to open one, and its caller
      // gets the error.
    }
  }

  #begin(): void {
    if (this.#isOpen) return;
    this.#reads.run('BEGIN');
    this.#isOpen = true;
    this.#hasVersion = false;
  }

  #checkVersion(): void {
    if (this.#hasVersion) return;
    const [version] = this.#reads.rows(dataVersion);
    this.#knownRows.checkVersion(version?.[0]);
    this.#hasVersion = true;
  }

  #endTurn(): void {
    this.#isShared = this.#count > 1;
    this.#count = 0;
    this.end();
  }
}
