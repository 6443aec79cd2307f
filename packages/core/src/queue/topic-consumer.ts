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

/**
 * Takes the jobs of one topic that are due, as many at a time as it may, and hands them over. Tenants take turns: one that
 * has many jobs waiting delays those of another by the time of one job.
 */
export class TopicConsumer implements Consumer {
  readonly topic: string;
  readonly #handler: JobHandler;
  readonly #options: Required<ConsumeOptions>;
  readonly #parts: ConsumerParts;
  #concurrency: number;
  /** Whose turn was last. */
  #lastTenant: TenantId | undefined;
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
        this.#parts.logger.warn('jobs cannot be claimed', { topic: this.topic, error });
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
    const now = clock.now();
    const isDue = ({ row }: Found): boolean => Date.parse(row.dueAt) <= now;
    // The most that can be due: one more than there is room for tells when the next is.
    const oldest = await storage.scanAllTenants('jobs', this.#where, free + 1, 'dueAt');
    const isCrowded = oldest.length > free && isDue(oldest[free] as Found);
    const heads = isCrowded ? await this.#heads(free, isDue) : [];
    if (this.#stopped) return pollMs;
    // Room that is left once everybody had a turn goes to whoever has waited longest.
    const taken = new Set(heads.map(({ row }) => row.id));
    const others = oldest.filter((each) => isDue(each) && !taken.has(each.row.id));
    const due = [...heads, ...others].slice(0, free);
    this.#lastTenant = heads.at(-1)?.tenant ?? this.#lastTenant;
    await Promise.all(due.map((each) => this.#claim(each, now)));
    // There may be more, and what another consumer was faster with has made room.
    if (due.length > 0) this.#again = true;
    const next = oldest[due.length];
    return next === undefined ? pollMs : Math.min(Math.max(Date.parse(next.row.dueAt) - now, 1), pollMs);
  }

  /** The first due job of each tenant, up to `count` of them, from the one after whose turn was last, and around. */
  async #heads(count: number, isDue: (found: Found) => boolean): Promise<readonly Found[]> {
    const { storage } = this.#parts;
    const start = this.#lastTenant;
    const due: Found[] = [];
    let after = start;
    let isAround = start === undefined;
    for (;;) {
      const heads = after === undefined ? {} : { after };
      const found = await storage.scanAllTenants('jobs', this.#where, BATCH, 'dueAt', heads);
      const known = new Set(due.map(({ tenant }) => tenant));
      due.push(...found.filter((each) => isDue(each) && !known.has(each.tenant)));
      if (due.length >= count || (isAround && found.length < BATCH)) return due.slice(0, count);
      after = found.length < BATCH ? undefined : found.at(-1)?.tenant;
      isAround ||= after === undefined;
    }
  }

  get #where() {
    return { topic: this.topic, state: 'waiting' } as const;
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
        logger.error('the result of a job could not be written', { topic: this.topic, jobId: row.id, error });
      })
      .then(() => {
        this.#underWay.delete(delivery);
        if (!stopping.aborted) this.look();
      });
    this.#underWay.add(delivery);
  }
}
