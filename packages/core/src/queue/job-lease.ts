import type { Clock } from '../contracts/clock.ts';
import type { JobRow } from '../contracts/rows.ts';
import type { Storage, Write } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { timeOf } from './job-row.ts';

export interface LeaseDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly leaseMs: number;
}

/** How often a lease is renewed within its time. */
const RENEWALS = 3;

/** Pause before a write is tried again that the storage could not do. */
const AGAIN_MS = 200;

/**
 * A job in the hands of one consumer. Every write names the revision that this consumer knows, which is the fence: who
 * lost the lease knows an older one, and can change nothing any more.
 */
export class JobLease {
  readonly tenant: TenantId;
  readonly row: JobRow;
  readonly #parts: LeaseDependencies;
  readonly #lost = new AbortController();
  #revision: number;
  #renewedAt: number;
  /** When renewals that may have been written, or not, would have had it end. */
  readonly #doubtful = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  /** @param row As it is after it was claimed. */
  constructor(tenant: TenantId, row: JobRow, parts: LeaseDependencies) {
    this.tenant = tenant;
    this.row = row;
    this.#parts = parts;
    this.#revision = row.revision;
    this.#renewedAt = parts.clock.monotonic();
    this.#timer = setInterval(() => this.#tick(), parts.leaseMs / RENEWALS).unref();
  }

  /** Aborts when the lease is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Write down what became of the job, unless the lease was lost. A storage that cannot be reached is asked again until
   * the lease has run out; then another consumer gets the job.
   *
   * @returns whether it was written
   */
  async settle(writes: (id: string, ifRevision: number) => readonly Write[]): Promise<boolean> {
    clearInterval(this.#timer);
    await this.#writing;
    while (!this.#lost.signal.aborted) {
      try {
        return await this.#commit(writes);
      } catch (error) {
        if (this.#hasRunOut()) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
    return false;
  }

  #tick(): void {
    this.#writing = this.#writing.then(() => this.#renew());
  }

  async #renew(): Promise<void> {
    const { clock, leaseMs } = this.#parts;
    if (this.#lost.signal.aborted) return;
    const at = clock.monotonic();
    const dueAt = timeOf(clock.now() + leaseMs);
    try {
      const done = await this.#commit((id, ifRevision) => [{ update: 'jobs', id, set: { dueAt }, ifRevision }]);
      if (!done) return this.#lose('another consumer has the job');
      this.#revision += 1;
      this.#doubtful.clear();
      this.#renewedAt = at;
    } catch {
      this.#doubtful.add(dueAt);
      // The storage may be back at the next try; until the lease runs out no other consumer can have the job.
      if (this.#hasRunOut()) this.#lose('the lease could not be renewed');
    }
  }

  async #commit(writes: (id: string, ifRevision: number) => readonly Write[]): Promise<boolean> {
    const { storage } = this.#parts;
    const commit = async () => (await storage.commit(this.tenant, writes(this.row.id, this.#revision))).done;
    return (await commit()) || ((await this.#adoptDoubtful()) && (await commit()));
  }

  /** Whether the revision that is in the way is that of a renewal of ours: a connection can break after a commit. */
  async #adoptDoubtful(): Promise<boolean> {
    if (this.#doubtful.size === 0) return false;
    const row = await this.#parts.storage.get(this.tenant, 'jobs', this.row.id);
    // A claim increments the attempts.
    const isOurs = row?.attempt === this.row.attempt && this.#doubtful.has(row.dueAt);
    if (isOurs) this.#revision = row.revision;
    return isOurs;
  }

  #hasRunOut(): boolean {
    return this.#parts.clock.monotonic() - this.#renewedAt >= this.#parts.leaseMs;
  }

  #lose(reason: string): void {
    clearInterval(this.#timer);
    this.#lost.abort(new Error(reason));
  }
}
