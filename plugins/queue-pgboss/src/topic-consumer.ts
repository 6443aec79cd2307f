import {
  type ConsumeOptions,
  type Consumer,
  type JobHandler,
  type JsonObject,
  type Logger,
  PatchbayError,
  type Postponement,
} from '@patchbay/core/plugin';
import type { PgBoss } from 'pg-boss';
import { HeldJob } from './held-job.ts';
import { readJobData } from './job-data.ts';
import type { ClaimedJob, JobTable } from './job-table.ts';

export interface ConsumerParts {
  readonly boss: PgBoss;
  readonly table: JobTable;
  readonly logger: Logger;
  /** Milliseconds between two looks for jobs that nobody told of. */
  readonly pollMs: number;
  /** Aborts when the queue stops. */
  readonly stopping: AbortSignal;
  /** Resolves when the queue of the topic is there. */
  readonly ready: () => Promise<void>;
}

/** Most jobs that are claimed in one look. */
const BATCH = 50;

const MAX_ERROR_CHARACTERS = 500;

/** Claims the jobs of one topic that are due, as many at a time as it may, by turns of their tenants, and hands them over. */
export class TopicConsumer implements Consumer {
  readonly topic: string;
  readonly #handler: JobHandler;
  readonly #options: Required<ConsumeOptions>;
  readonly #parts: ConsumerParts;
  #concurrency: number;
  /** Whose turn was last. */
  #lastTenant = '';
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
    const { ready, table, logger, pollMs } = this.#parts;
    try {
      await ready();
      await table.reclaim(this.topic);
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await this.#take();
      }
    } catch (error) {
      this.#again = false;
      logger.warn('jobs cannot be claimed', { topic: this.topic, error });
    }
    this.#looking = undefined;
    if (!this.#stopped) this.#timer = setTimeout(() => this.look(), pollMs).unref();
  }

  async #take(): Promise<void> {
    const count = Math.min(this.#concurrency - this.#underWay.size, BATCH);
    // Whoever ends looks again.
    if (count <= 0) return;
    const leaseSeconds = Math.max(1, Math.ceil(this.#options.leaseMs / 1_000));
    const after = this.#lastTenant;
    const jobs = await this.#parts.table.claim(this.topic, { count, leaseSeconds, after });
    this.#lastTenant = lastTurn(
      jobs.flatMap(({ data }) => readJobData(data)?.tenant ?? []),
      after,
    );
    for (const job of jobs) {
      const delivery = this.#deliver(job).then(() => {
        this.#underWay.delete(delivery);
        if (!this.#parts.stopping.aborted) this.look();
      });
      this.#underWay.add(delivery);
    }
    if (jobs.length > 0) this.#again = true;
  }

  async #deliver({ id, data, retryCount, createdOn }: ClaimedJob): Promise<void> {
    const { boss, stopping, logger } = this.#parts;
    const { topic } = this;
    const given = readJobData(data);
    if (given === undefined) return await this.#setAside(id);
    const attempt = retryCount + 1;
    const claim = { topic, id, retryCount };
    const job = { ...given, id, topic, attempt, createdAt: createdOn.toISOString() };
    const held = new HeldJob({ boss, claim, leaseMs: this.#options.leaseMs, job }, stopping);
    try {
      // Whoever took it before died with it each time, so that it never came to count its failures.
      const spent = attempt > this.#options.maxAttempts;
      const postponed = spent ? await endless() : await this.#handler(held.job);
      await held.settle(() => this.#end(held, postponed));
    } catch (failure) {
      await held
        .settle(() => this.#fail(held, failure))
        // Its lease runs out, and then it is delivered again.
        .catch((error: unknown) =>
          logger.error('the result of a job could not be written', { topic, jobId: id, error }),
        );
    } finally {
      held.release();
    }
  }

  /** Not deleted: whoever has put it there may want to know. */
  async #setAside(id: string): Promise<void> {
    const { boss, logger } = this.#parts;
    const { topic } = this;
    try {
      await boss.cancel(topic, id);
      logger.error('a job was moved aside: it was not enqueued by this queue', { topic, jobId: id });
    } catch (error) {
      // Its lease runs out, and then it is looked at again.
      logger.warn('a job that was not enqueued by this queue cannot be moved aside', { topic, jobId: id, error });
    }
  }

  async #end({ claim }: HeldJob, postponed: Postponement | undefined): Promise<void> {
    const { boss, table } = this.#parts;
    const { topic, id, retryCount } = claim;
    if (postponed !== undefined) await table.postpone(claim, postponed.postponeMs);
    else await boss.complete(topic, { id, retryCount });
  }

  async #fail({ claim, job }: HeldJob, failure: unknown): Promise<void> {
    const { table, logger } = this.#parts;
    const { maxAttempts, backoffMs } = this.#options;
    const error = jobError(failure);
    if (job.attempt < maxAttempts) {
      await table.retry(claim, backoffMs(job.attempt, failure), error);
      return;
    }
    if (!(await table.bury(claim, maxAttempts, error))) return;
    logger.error('a job is dead', { topic: claim.topic, jobId: claim.id, attempts: maxAttempts, error: failure });
  }
}

/** Turns go around: from the tenant after the last one to the end, then from the beginning. */
function lastTurn(tenants: readonly string[], after: string): string {
  const before = tenants.filter((tenant) => tenant <= after);
  return (before.length > 0 ? before : tenants).toSorted().at(-1) ?? after;
}

function endless(): Promise<never> {
  return Promise.reject(new Error('its consumers ended without settling it'));
}

/** What is kept of a failure, for operators. */
function jobError(error: unknown): JsonObject {
  const text = error instanceof Error ? error.message : String(error);
  const message = text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed().replaceAll('\0', '');
  return PatchbayError.is(error) ? { code: error.code, message } : { message };
}
