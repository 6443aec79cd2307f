import { setTimeout as pause } from 'node:timers/promises';
import type { TenantId } from '@patchbay/core/plugin';
import type { CommitResult, Write } from '@patchbay/core/storage';
import { applyWrites, type CountChange, countStatements, WriteStatements } from '@patchbay/store-typeorm';
import { isBusy, toStorageError } from '../failures.ts';
import type { Sqlite3Connection } from './sqlite3-connection.ts';

interface Pending {
  readonly tenant: TenantId;
  readonly writes: readonly Write[];
  /** When to stop waiting for another process. */
  readonly deadline: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits that share one flush to disk at most. */
const mostInGroup = 100;
const busyRetryMs = 2;

/**
 * The one writer of a database, as `GroupWriter` is, on a driver that answers later: what arrives while a group is
 * written becomes the next group. Nothing else uses the connection, so nothing slips into a transaction.
 */
export class QueuedWriter {
  readonly #connection: Sqlite3Connection;
  readonly #busyTimeoutMs: number;
  readonly #statements = new WriteStatements('sqlite');
  readonly #queue: Pending[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;

  constructor(connection: Sqlite3Connection, busyTimeoutMs: number) {
    this.#connection = connection;
    this.#busyTimeoutMs = busyTimeoutMs;
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
    this.#writing ??= this.#writeAll();
    return result;
  }

  /** Resolves when everything that was handed in is settled. */
  async drain(): Promise<void> {
    await this.#writing;
  }

  /** Write and flush something that grows the database, as a commit does; throws where a commit would fail. */
  async probe(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    const value = 'probe '.repeat(2_000);
    this.#writing = (async () => {
      await this.#connection.run('BEGIN IMMEDIATE');
      await this.#connection.execute(this.#statements.addToCounter('', '', '', value, 0));
      await this.#connection.execute(this.#statements.removeEmptyCounter('', '', '', value));
      await this.#connection.run('COMMIT');
      this.#failure = undefined;
    })();
    try {
      await this.#writing;
    } catch (error) {
      await this.#rollback();
      throw error;
    } finally {
      this.#writing = this.#queue.length > 0 ? this.#writeAll() : undefined;
    }
  }

  async #writeAll(): Promise<void> {
    // What else arrives in this turn of the event loop shares the flush.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) await this.#writeGroup();
    this.#writing = undefined;
  }

  async #writeGroup(): Promise<void> {
    try {
      await this.#connection.run('BEGIN IMMEDIATE');
    } catch (error) {
      if (!isBusy(error)) return this.#fail(this.#queue.splice(0), error);
      const now = performance.now();
      const waiting = this.#queue.findIndex(({ deadline }) => deadline > now);
      this.#fail(this.#queue.splice(0, waiting === -1 ? this.#queue.length : waiting), error);
      await pause(busyRetryMs);
      return;
    }
    const group = this.#queue.splice(0, mostInGroup);
    const counts: CountChange[] = [];
    const settle: (() => void)[] = [];
    try {
      for (const pending of group) settle.push(await this.#apply(pending, counts));
      for (const statement of countStatements(this.#statements, counts)) await this.#connection.execute(statement);
      await this.#connection.run('COMMIT');
    } catch (error) {
      await this.#rollback();
      return this.#fail(group, error);
    }
    this.#failure = undefined;
    for (const each of settle) each();
  }

  /** Apply one commit within the group; what to tell its caller once the group is on disk. */
  async #apply({ tenant, writes, resolve, reject }: Pending, counts: CountChange[]): Promise<() => void> {
    const own: CountChange[] = [];
    const connection = this.#connection;
    await connection.run('SAVEPOINT one_commit');
    let told: () => void;
    try {
      const steps = applyWrites(this.#statements, tenant, writes, own);
      let step = steps.next();
      while (step.done !== true) step = steps.next(await connection.execute(step.value));
      const result = step.value;
      if (result.done) counts.push(...own);
      else await connection.run('ROLLBACK TO one_commit');
      told = () => resolve(result);
    } catch (error) {
      // Fails, and the group with it, where SQLite gave up the whole transaction.
      await connection.run('ROLLBACK TO one_commit').catch(() => Promise.reject(error));
      told = () => reject(toStorageError(error));
    }
    await connection.run('RELEASE one_commit');
    return told;
  }

  async #rollback(): Promise<void> {
    // Refused where SQLite has done it already.
    await this.#connection.run('ROLLBACK').catch(() => {});
  }

  #fail(pending: readonly Pending[], error: unknown): void {
    if (pending.length > 0) this.#failure = error;
    for (const { reject } of pending) reject(toStorageError(error));
  }
}
