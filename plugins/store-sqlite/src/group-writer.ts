import type { TenantId } from '@patchbay/core/plugin';
import type { CommitResult } from '@patchbay/core/storage';
import {
  applyWrites,
  type CountChange,
  countStatements,
  type EncodedWrite,
  type Statement,
  type Steps,
  WriteStatements,
} from '@patchbay/store-typeorm';
import type { CommitOptions, Writer, WriterConnection } from './driver.ts';
import { isBusy, toStorageError } from './failures.ts';

/** A commit that waits. */
export interface Pending {
  readonly tenant: TenantId;
  readonly writes: readonly EncodedWrite[];
  /** Settled only once the disk has it. */
  readonly isFlushed: boolean;
  /** When to stop waiting for another process. */
  readonly deadline: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

// Nothing else runs while a group is applied and flushed. A commit that finds the group full waits for the next.
const GROUP_MS = 20;
const busyRetryMs = 2;

const plain = (sql: string): Statement => ({ sql, parameters: [] });
const begin = plain('BEGIN IMMEDIATE');
const commit = plain('COMMIT');
const rollback = plain('ROLLBACK');
const savepoint = plain('SAVEPOINT one_commit');
const rollbackOne = plain('ROLLBACK TO one_commit');
const release = plain('RELEASE one_commit');

/**
 * The one writer of a database. Commits that arrive in the same turn of the event loop, or while a group is written, share
 * a transaction, and so one flush to disk, which is what a commit costs. Each is still whole or not at all: a savepoint
 * undoes one that is refused. None is acknowledged before the transaction is on disk, except for those that ask for no more
 * than to survive a crash: these share transactions that the system writes when it likes, or the next flush.
 *
 * Nothing can interleave with the transaction of a group: with a synchronous driver it runs without a wait, and
 * with an asynchronous driver nothing else uses its connection.
 */
export class GroupWriter implements Writer {
  readonly #connection: WriterConnection;
  readonly #busyTimeoutMs: number;
  readonly #groupMs: number;
  readonly #statements = new WriteStatements('sqlite');
  #queue: Pending[] = [];
  #scheduled = false;
  #last: Promise<unknown> = Promise.resolve();
  /** Settles, and never fails, when what uses the connection right now is done. */
  #running: Promise<void> | undefined;
  #isFailing = false;

  constructor(connection: WriterConnection, busyTimeoutMs: number, groupMs = GROUP_MS) {
    this.#connection = connection;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#groupMs = groupMs;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  commit(tenant: TenantId, writes: readonly EncodedWrite[], { survives }: CommitOptions = {}): Promise<CommitResult> {
    const isFlushed = survives !== 'crash';
    const deadline = performance.now() + this.#busyTimeoutMs;
    const result = new Promise<CommitResult>((resolve, reject) => {
      this.#queue.push({ tenant, writes, isFlushed, deadline, resolve, reject });
    });
    this.#last = result;
    if (!this.#scheduled) this.#schedule();
    return result;
  }

  /** Writes of the commits that wait for the end of the turn, or for another process. */
  get waitingWrites(): number {
    let count = 0;
    for (const { writes } of this.#queue) count += writes.length;
    return count;
  }

  /** Take back the commits that wait. Only with a synchronous driver, which has none of them half written. */
  withdraw(): readonly Pending[] {
    return this.#queue.splice(0);
  }

  async drain(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#running;
  }

  async probe(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    await this.#run(this.#probeSteps());
  }

  #schedule(delayMs?: number): void {
    this.#scheduled = true;
    const flush = () => this.#flush();
    if (delayMs === undefined) setImmediate(flush);
    else setTimeout(flush, delayMs);
  }

  #flush(): void {
    if (this.#running !== undefined) {
      void this.#running.then(() => this.#flush());
      return;
    }
    // All were withdrawn.
    if (this.#queue.length === 0) {
      this.#scheduled = false;
      return;
    }
    const written = this.#run(this.#groupSteps());
    if (written instanceof Promise) void written.then((taken) => this.#flushed(taken));
    else this.#flushed(written);
  }

  #flushed(taken: number): void {
    this.#scheduled = false;
    if (this.#queue.length > 0) this.#schedule(taken === 0 ? busyRetryMs : undefined);
  }

  /** Run steps that have the connection to themselves. */
  #run<R>(steps: Steps<R>): R | Promise<R> {
    const result = this.#connection.run(steps);
    if (!(result instanceof Promise)) return result;
    const free = () => {
      this.#running = undefined;
    };
    this.#running = result.then(free, free);
    return result;
  }

  *#probeSteps(): Steps<void> {
    this.#connection.setFlushing?.(true);
    yield begin;
    try {
      const value = 'probe '.repeat(2_000);
      yield this.#statements.addToCounter('', '', '', value, 0);
      yield this.#statements.removeEmptyCounter('', '', '', value);
      yield commit;
      this.#isFailing = false;
    } catch (error) {
      yield* undo();
      throw error;
    }
  }

  /** Write what waits, and notify its callers; never fails. @returns how many commits were tried. */
  *#groupSteps(): Steps<number> {
    const settle: (() => void)[] = [];
    let taken = 0;
    // With a driver that waits, more may come meanwhile: they may not share a transaction that is not flushed.
    const isFlushed = this.#queue.some((pending) => pending.isFlushed);
    const isWithin = (next: Pending | undefined) => next !== undefined && (isFlushed || !next.isFlushed);
    try {
      this.#connection.setFlushing?.(isFlushed);
      yield begin;
      const counts: CountChange[] = [];
      const until = performance.now() + this.#groupMs;
      do {
        const pending = this.#queue[taken] as Pending;
        taken += 1;
        settle.push(yield* this.#apply(pending, counts));
      } while (isWithin(this.#queue[taken]) && performance.now() < until);
      for (const statement of countStatements(this.#statements, counts)) yield statement;
      yield commit;
      this.#queue.splice(0, taken);
      this.#isFailing = false;
      for (const each of settle) each();
    } catch (error) {
      yield* undo();
      if (taken > 0) this.#fail(taken, error);
      else if (isBusy(error)) this.#expire(error);
      else this.#fail(this.#queue.length, error);
    }
    return taken;
  }

  /** Apply one commit within the group; returns what its caller gets once the group is on disk. */
  *#apply({ tenant, writes, resolve, reject }: Pending, counts: CountChange[]): Steps<() => void> {
    const { isInTransaction } = this.#connection;
    // A single write that is refused, or fails, has changed nothing; but a failure may have ended the transaction.
    const hasSavepoint = writes.length > 1 || isInTransaction === undefined;
    const own: CountChange[] = [];
    if (hasSavepoint) yield savepoint;
    try {
      const result = yield* applyWrites(this.#statements, tenant, writes, own);
      if (hasSavepoint && !result.done) yield rollbackOne;
      if (hasSavepoint) yield release;
      if (result.done) counts.push(...own);
      return () => resolve(result);
    } catch (error) {
      // SQLite rolls back the whole transaction after some failures, and with it the writes of the others.
      if (isInTransaction?.() === false) throw error;
      if (hasSavepoint) yield* orThrow(error, rollbackOne, release);
      return () => reject(toStorageError(error));
    }
  }

  #expire(error: unknown): void {
    const now = performance.now();
    const waiting = this.#queue.findIndex(({ deadline }) => deadline > now);
    this.#fail(waiting === -1 ? this.#queue.length : waiting, error);
  }

  #fail(count: number, error: unknown): void {
    if (count > 0) this.#isFailing = true;
    for (const { reject } of this.#queue.splice(0, count)) reject(toStorageError(error));
  }
}

/** Roll back. Refused where SQLite has done it already. */
function* undo(): Steps<void> {
  try {
    yield rollback;
  } catch {
    // There is no transaction any more.
  }
}

/** Run statements; where one fails, so that the transaction is lost, throw what came before. */
function* orThrow(error: unknown, ...statements: readonly Statement[]): Steps<void> {
  try {
    for (const statement of statements) yield statement;
  } catch {
    throw error;
  }
}
