import type { TenantId } from '@patchbay/core/plugin';
import type { CommitResult } from '@patchbay/core/storage';
import type { EncodedWrite, Statement } from '@patchbay/store-typeorm';
import { connect, immediateWrites, PreparedStatements, requireNodeApi, type SqliteDatabase } from './better-sqlite3.ts';
import type { CommitOptions, ConnectionOptions, OpenDatabase, RowLists, SqliteDriver, Writer } from './driver.ts';
import { toStorageError } from './failures.ts';
import { GroupWriter } from './group-writer.ts';
import { KnownRows } from './known-rows.ts';
import { type WriterAnswer, type WriterFailure, WriterThread, type WriterWork } from './writer-thread.ts';

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

    async look(options, statement) {
      const connection = connect(options, 'look');
      try {
        return new PreparedStatements(connection).rows(statement);
      } finally {
        connection.close();
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
    const [first] = statements;
    // Outside of a transaction, checking whether the database has changed would cost as much as the row.
    if (!this.#isOpen && first) return [this.#reads.rows(first)];
    this.#checkVersion();
    return this.#knownRows.read(statements, (statement) => this.#reads.rows(statement));
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

/**
 * Maximum writes of a commit that is written on the main thread: those of one request. Handing over a commit and its
 * result costs more than so few statements.
 */
const MAX_WRITES_HERE = 8;

/**
 * Maximum per turn of the event loop: enough for a few requests, but not for what is collected, such as outcomes of
 * webhooks.
 */
const MAX_WRITES_OF_TURN = 12;

/**
 * Writes to one file: batches, as those of the ledger or what many commits of a turn are together, in a thread, and the commits of
 * single requests on the main thread unless the thread is writing. Its connection then has the lock, and what is handed over shares its next flush.
 *
 * The thread opens the file with the first batch, because it takes an eighth of the memory of an idle server. Until it has, batches
 * are written on the main thread as well: none waits for the thread to start.
 */
class ThreadedWriter implements Writer {
  readonly #thread: WriterThread;
  readonly #file: number;
  readonly #options: ConnectionOptions;
  readonly #connection: SqliteDatabase;
  readonly #here: GroupWriter;
  readonly #beforeAnswer: () => void;
  /** Settles, and never fails, when the thread has the file or could not open it. */
  #opening: Promise<void> | undefined;
  #isOpenThere = false;
  #last: Promise<unknown> = Promise.resolve();
  /** Commits that the thread has not answered. */
  #handedOver = 0;
  #isFailing = false;

  /**
   * Open the file here.
   *
   * @param beforeAnswer Called before a commit is acknowledged.
   * @throws Error with the code of SQLite where the file cannot be opened.
   */
  constructor(thread: WriterThread, options: ConnectionOptions, beforeAnswer: () => void) {
    this.#thread = thread;
    this.#file = thread.nextFile();
    this.#options = options;
    this.#connection = connect(options, 'write');
    // Waiting for others is up to the writer of groups.
    this.#connection.pragma('busy_timeout = 0');
    this.#here = new GroupWriter(immediateWrites(this.#connection), options.busyTimeoutMs);
    this.#beforeAnswer = beforeAnswer;
  }

  get isFailing(): boolean {
    return this.#isFailing || this.#here.isFailing || this.#thread.isLost;
  }

  async commit(tenant: TenantId, writes: readonly EncodedWrite[], options: CommitOptions = {}): Promise<CommitResult> {
    const isForThread = this.#isForThread(writes.length);
    if (isForThread) this.#handOverWaiting();
    const committed = isForThread
      ? this.#handOver(tenant, writes, options)
      : this.#here.commit(tenant, writes, options);
    try {
      return await committed;
    } catch (error) {
      throw toStorageError(error);
    } finally {
      this.#beforeAnswer();
    }
  }

  async drain(): Promise<void> {
    await this.#here.drain();
    await this.#last.catch(() => {});
  }

  async probe(): Promise<void> {
    if (this.#isOpenThere || this.#thread.isLost) await this.#ask({ work: 'probe', file: this.#file });
    await this.#here.probe();
  }

  /** Close the file, in the thread as well where that has it. */
  async close(): Promise<void> {
    await this.#opening;
    this.#connection.close();
    if (this.#isOpenThere && !this.#thread.isLost) await this.#ask({ work: 'close', file: this.#file });
  }

  #isForThread(writes: number): boolean {
    if (this.#handedOver > 0 || this.#thread.isLost) return true;
    if (writes <= MAX_WRITES_HERE && writes + this.#here.waitingWrites <= MAX_WRITES_OF_TURN) return false;
    this.#opening ??= this.#openThere();
    return this.#isOpenThere;
  }

  async #openThere(): Promise<void> {
    try {
      await this.#ask({ work: 'open', file: this.#file, options: this.#options });
      this.#isOpenThere = true;
    } catch {
      // The next batch tries again, and is written here.
      this.#opening = undefined;
    }
  }

  /** Commits that came earlier in this turn go first, and share the flush. */
  #handOverWaiting(): void {
    for (const { tenant, writes, isFlushed, resolve, reject } of this.#here.withdraw()) {
      const options: CommitOptions = isFlushed ? {} : { survives: 'crash' };
      this.#handOver(tenant, writes, options).then(resolve, reject);
    }
  }

  async #handOver(tenant: TenantId, writes: readonly EncodedWrite[], options: CommitOptions): Promise<CommitResult> {
    this.#handedOver += 1;
    const committed = this.#ask({ work: 'commit', file: this.#file, tenant, writes, options });
    this.#last = committed;
    try {
      return (await committed) as CommitResult;
    } finally {
      this.#handedOver -= 1;
    }
  }

  async #ask(work: WriterWork): Promise<CommitResult | undefined> {
    const answer = await this.#thread.request(work);
    this.#isFailing = answer.isFailing;
    return resultOf(answer);
  }
}

function resultOf(answer: WriterAnswer): CommitResult | undefined {
  if ('failure' in answer) throw errorOf(answer.failure);
  return answer.result;
}

/** The error of the thread, with the code that identifies errors of SQLite. */
function errorOf({ message, code }: WriterFailure): Error {
  return code === undefined ? new Error(message) : Object.assign(new Error(message), { code });
}
