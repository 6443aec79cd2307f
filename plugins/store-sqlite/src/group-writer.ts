import type { TenantId } from '@patchbay/core/plugin';
import type { CommitResult, Write } from '@patchbay/core/storage';
import { applyWrites, type CountChange, countStatements, type Steps, WriteStatements } from '@patchbay/store-typeorm';
import { isBusy, toStorageError } from './failures.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

interface Pending {
  readonly tenant: TenantId;
  readonly writes: readonly Write[];
  /** When to stop waiting for another process. */
  readonly deadline: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

// Nothing else runs while a group is applied and flushed. A commit that finds the group full waits for the next.
const groupMs = 20;
const busyRetryMs = 2;

/**
 * The one writer of a database. Commits that arrive in the same turn of the event loop share a transaction, and so one
 * flush to disk, which is what a commit costs. Each is still whole or not at all: a savepoint undoes one that is
 * refused. None is acknowledged before the transaction is on disk.
 *
 * A group runs without a wait in between, so nothing can slip into its transaction.
 */
export class GroupWriter {
  readonly #database: SqliteDatabase;
  readonly #busyTimeoutMs: number;
  readonly #beforeFlush: () => void;
  readonly #prepared: PreparedStatements;
  readonly #statements = new WriteStatements('sqlite');
  #queue: Pending[] = [];
  #scheduled = false;
  #last: Promise<unknown> = Promise.resolve();
  #failure: unknown;

  /** @param beforeFlush Called before each transaction. */
  constructor(database: SqliteDatabase, busyTimeoutMs: number, beforeFlush: () => void = () => {}) {
    this.#database = database;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#beforeFlush = beforeFlush;
    this.#prepared = new PreparedStatements(database);
  }

  /** What kept the last group from being written; undefined once one was. */
  get failure(): unknown {
    return this.#failure;
  }

  commit(tenant: TenantId, writes: readonly Write[]): Promise<CommitResult> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    const result = new Promise<CommitResult>((resolve, reject) => {
      this.#queue.push({ tenant, writes, deadline, resolve, reject });
    });
    this.#last = result;
    if (!this.#scheduled) this.#schedule();
    return result;
  }

  /** Resolves when everything that was handed in is settled. */
  async drain(): Promise<void> {
    await this.#last.catch(() => {});
  }

  /** Write and flush something that grows the database, as a commit does; throws where a commit would fail. */
  probe(): void {
    this.#beforeFlush();
    this.#prepared.run('BEGIN IMMEDIATE');
    try {
      const value = 'probe '.repeat(2_000);
      this.#prepared.execute(this.#statements.addToCounter('', '', '', value, 0));
      this.#prepared.execute(this.#statements.removeEmptyCounter('', '', '', value));
      this.#prepared.run('COMMIT');
      this.#failure = undefined;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  #schedule(delayMs?: number): void {
    this.#scheduled = true;
    const flush = () => this.#flush();
    if (delayMs === undefined) setImmediate(flush);
    else setTimeout(flush, delayMs);
  }

  #flush(): void {
    this.#scheduled = false;
    const settle: (() => void)[] = [];
    let taken = 0;
    try {
      this.#beforeFlush();
      this.#prepared.run('BEGIN IMMEDIATE');
      const counts: CountChange[] = [];
      const until = performance.now() + groupMs;
      do {
        const pending = this.#queue[taken] as Pending;
        taken += 1;
        settle.push(this.#apply(pending, counts));
      } while (taken < this.#queue.length && performance.now() < until);
      for (const statement of countStatements(this.#statements, counts)) this.#prepared.execute(statement);
      this.#prepared.run('COMMIT');
      this.#queue.splice(0, taken);
      this.#failure = undefined;
      for (const each of settle) each();
    } catch (error) {
      this.#rollback();
      if (taken > 0) this.#fail(taken, error);
      else if (isBusy(error)) this.#expire(error);
      else this.#fail(this.#queue.length, error);
    }
    if (this.#queue.length > 0) this.#schedule(taken === 0 ? busyRetryMs : undefined);
  }

  /** Apply one commit within the group; what to tell its caller once the group is on disk. */
  #apply({ tenant, writes, resolve, reject }: Pending, counts: CountChange[]): () => void {
    // A single write that is refused, or fails, has changed nothing.
    const several = writes.length > 1;
    const own: CountChange[] = [];
    if (several) this.#prepared.run('SAVEPOINT one_commit');
    try {
      const result = this.#drive(applyWrites(this.#statements, tenant, writes, own));
      if (several && !result.done) this.#prepared.run('ROLLBACK TO one_commit');
      if (several) this.#prepared.run('RELEASE one_commit');
      if (result.done) counts.push(...own);
      return () => resolve(result);
    } catch (error) {
      // SQLite gives up the whole transaction after some failures, and with it what the others wrote.
      if (!this.#database.inTransaction) throw error;
      if (several) {
        this.#prepared.run('ROLLBACK TO one_commit');
        this.#prepared.run('RELEASE one_commit');
      }
      return () => reject(toStorageError(error));
    }
  }

  #drive<R>(steps: Steps<R>): R {
    let step = steps.next();
    while (step.done !== true) step = steps.next(this.#prepared.execute(step.value));
    return step.value;
  }

  #rollback(): void {
    if (this.#database.inTransaction) this.#prepared.run('ROLLBACK');
  }

  #expire(error: unknown): void {
    const now = performance.now();
    const waiting = this.#queue.findIndex(({ deadline }) => deadline > now);
    this.#fail(waiting === -1 ? this.#queue.length : waiting, error);
  }

  #fail(count: number, error: unknown): void {
    if (count > 0) this.#failure = error;
    for (const { reject } of this.#queue.splice(0, count)) reject(toStorageError(error));
  }
}
