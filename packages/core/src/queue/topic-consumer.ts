import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { ConsumeOptions, Consumer, JobHandler } from '../contracts/queue.ts';
import type { JobRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { deliver } from './deliver.ts';
import { JobLease } from './job-lease.ts';
import { timeOf } from './job-row.ts';

export interface ConsumerParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds between two looks for jobs that nobody told of. */
  readonly pollMs: number;
  /** Aborts when the queue stops. */
  readonly stopping: AbortSignal;
}

interface Found {
  readonly tenant: TenantId;
  readonly row: JobRow;
}

/** Most jobs that are read in one look. */
const BATCH = 50;

/** Takes the jobs of one topic that are due, as many at a time as it may, and hands them over. */
export class TopicConsumer implements Consumer {
  readonly topic: string;
  readonly #handler: JobHandler;
  readonly #options: Required<ConsumeOptions>;
  readonly #parts: ConsumerParts;
  #concurrency: number;
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(topic: string, handler: JobHandler, options: Required<ConsumeOptions>, parts: ConsumerParts) {
    this.topic = topic;
    this.#handler = handler;
    this.#options = options;
    this.#concurrency = options.concurrency;
    this.#parts = parts;
  }

  /** Look for jobs now, or once more after the look that is under way. */
  look(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#looking ??= this.#lookAll();
  }

  resize(concurrency: number): void {
    this.#concurrency = concurrency;
    this.look();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
    await Promise.all(this.#underWay);
  }

  async #lookAll(): Promise<void> {
    clearTimeout(this.#timer);
    let pauseMs = this.#parts.pollMs;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        pauseMs = await this.#take();
      } catch (error) {
        this.#parts.logger.warn('jobs cannot be taken right now', { topic: this.topic, error });
      }
    }
    // At once, so that no look that is asked for from now on is taken for one that is under way.
    this.#looking = undefined;
    if (!this.#stopped) this.#timer = setTimeout(() => this.look(), pauseMs).unref();
  }

  /** Take what is due; the milliseconds until it is worth to look again. */
  async #take(): Promise<number> {
    const { storage, clock, pollMs } = this.#parts;
    const free = Math.min(this.#concurrency - this.#underWay.size, BATCH);
    // Whoever ends looks again.
    if (free <= 0) return pollMs;
    const where = { topic: this.topic, state: 'waiting' } as const;
    // One more than there is room for tells when the next is due.
    const found = await storage.scanAllTenants('jobs', where, free + 1, 'dueAt');
    if (this.#stopped) return pollMs;
    const now = clock.now();
    const due = found.filter(({ row }) => Date.parse(row.dueAt) <= now).slice(0, free);
    await Promise.all(due.map((each) => this.#claim(each, now)));
    // There may be more, and what another consumer was faster with has made room.
    if (due.length > 0) this.#again = true;
    const next = found[due.length];
    return next === undefined ? pollMs : Math.min(Math.max(Date.parse(next.row.dueAt) - now, 1), pollMs);
  }

  async #claim({ tenant, row }: Found, now: number): Promise<void> {
    const { storage, stopping, logger } = this.#parts;
    const { leaseMs } = this.#options;
    const set = { dueAt: timeOf(now + leaseMs), attempt: row.attempt + 1 };
    const { done } = await storage.commit(tenant, [{ update: 'jobs', id: row.id, set, ifRevision: row.revision }]);
    if (!done) return;
    const lease = new JobLease(tenant, { ...row, ...set, revision: row.revision + 1 }, { ...this.#parts, leaseMs });
    const delivery = deliver(lease, this.#handler, this.#options, this.#parts)
      .catch((error: unknown) => {
        // Its lease runs out, and then it is delivered again.
        logger.error('the end of a job could not be written down', { topic: this.topic, jobId: row.id, error });
      })
      .then(() => {
        this.#underWay.delete(delivery);
        if (!stopping.aborted) this.look();
      });
    this.#underWay.add(delivery);
  }
}
