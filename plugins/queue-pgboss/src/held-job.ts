import { type Job, joinSignals, type TenantId } from '@patchbay/core/plugin';
import type { PgBoss } from 'pg-boss';
import type { Claim } from './job-table.ts';

/** How often a lease is renewed within its time. */
const RENEWALS = 3;

/** Pause before something is tried again that the database could not do. */
const AGAIN_MS = 200;

export interface HeldJobOptions {
  readonly boss: PgBoss;
  readonly claim: Claim;
  readonly leaseMs: number;
  readonly job: Omit<Job, 'signal'> & { readonly tenant: TenantId };
}

/** A job in the hands of one consumer, for as long as it renews its lease. */
export class HeldJob {
  readonly claim: Claim;
  readonly #boss: PgBoss;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly job: Job;
  /** Let go of the signal that stops the queue, once the job is settled or lost. */
  readonly release: () => void;
  #renewedAt = performance.now();
  #renewing: Promise<void> = Promise.resolve();

  /** @param stopping Aborts when the queue is stopping. */
  constructor({ boss, claim, leaseMs, job }: HeldJobOptions, stopping: AbortSignal) {
    this.claim = claim;
    this.#boss = boss;
    this.#leaseMs = leaseMs;
    const { signal, release } = joinSignals(this.#lost.signal, stopping);
    this.job = { ...job, signal };
    this.release = release;
    this.#timer = setInterval(() => this.#tick(), leaseMs / RENEWALS).unref();
  }

  /**
   * Record the outcome of the job; while the database is unavailable, retry until the lease expires. Writes of
   * a consumer that has lost it change nothing.
   */
  async settle(write: () => Promise<unknown>): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    while (!this.#lost.signal.aborted) {
      try {
        await write();
        return;
      } catch (error) {
        if (this.#hasRunOut()) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  #tick(): void {
    this.#renewing = this.#renewing.then(() => this.#renew());
  }

  async #renew(): Promise<void> {
    if (this.#lost.signal.aborted) return;
    const { topic, id, retryCount } = this.claim;
    const at = performance.now();
    try {
      // Its types omit the result.
      const answer: { readonly affected?: number } = await this.#boss.touch(topic, { id, retryCount });
      if (answer.affected === 0) return this.#lose('another consumer has the job');
      this.#renewedAt = at;
    } catch {
      // It may be back at the next try; until the lease runs out no other consumer can have the job.
      if (this.#hasRunOut()) this.#lose('the lease could not be renewed');
    }
  }

  #hasRunOut(): boolean {
    return performance.now() - this.#renewedAt >= this.#leaseMs;
  }

  #lose(reason: string): void {
    clearInterval(this.#timer);
    this.#lost.abort(new Error(reason));
  }
}
