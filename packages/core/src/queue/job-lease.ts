import type { Clock } from '@patchbay/contracts/clock';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Job } from '@patchbay/contracts/queue';

/**
 * A job that this process has claimed, for as long as its lease lasts. Its methods settle it, and resolve to whether
 * they did: a consumer that lost the lease can no longer change anything.
 */
export interface LeasedJob extends Omit<Job, 'signal'> {
  /** Renew the lease for its full duration; false if another consumer has the job. */
  renew(): Promise<boolean>;
  complete(): Promise<boolean>;
  /** Deliver it again later, without counting the attempt. */
  postpone(delayMs: number): Promise<boolean>;
  /** Deliver it again later. */
  retry(delayMs: number, error: JsonObject): Promise<boolean>;
  /** Keep it as a dead job, with its number of attempts. */
  bury(attempts: number, error: JsonObject): Promise<boolean>;
}

/** How often a lease is renewed within its time. */
const RENEWALS = 3;

/** Pause before a write that the database could not perform is retried. */
const AGAIN_MS = 200;

/** A consumer's hold on a job: it lasts for as long as it is renewed. */
export class JobLease {
  readonly #job: LeasedJob;
  readonly #leaseMs: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #renewedAt: number;
  #renewing: Promise<void> = Promise.resolve();

  constructor(job: LeasedJob, leaseMs: number, clock: Pick<Clock, 'monotonic'>) {
    this.#job = job;
    this.#leaseMs = leaseMs;
    this.#clock = clock;
    this.#renewedAt = clock.monotonic();
    this.#timer = setInterval(() => this.#tick(), leaseMs / RENEWALS).unref();
  }

  /** Aborts when the lease is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Record the outcome of the job, unless the lease was lost. While the database is unavailable, retry until the lease
   * expires; then another consumer gets the job.
   *
   * @returns whether it was written
   */
  async settle(write: () => Promise<boolean>): Promise<boolean> {
    clearInterval(this.#timer);
    await this.#renewing;
    while (!this.#lost.signal.aborted) {
      try {
        return await write();
      } catch (error) {
        if (this.#hasRunOut()) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
    return false;
  }

  #tick(): void {
    this.#renewing = this.#renewing.then(() => this.#renew());
  }

  async #renew(): Promise<void> {
    if (this.#lost.signal.aborted) return;
    const at = this.#clock.monotonic();
    try {
      if (!(await this.#job.renew())) return this.#lose('another consumer has the job');
      this.#renewedAt = at;
    } catch {
      // The database may be back at the next attempt; until the lease expires, no other consumer can have the job.
      if (this.#hasRunOut()) this.#lose('the lease could not be renewed');
    }
  }

  #hasRunOut(): boolean {
    return this.#clock.monotonic() - this.#renewedAt >= this.#leaseMs;
  }

  #lose(reason: string): void {
    clearInterval(this.#timer);
    this.#lost.abort(new Error(reason));
  }
}
