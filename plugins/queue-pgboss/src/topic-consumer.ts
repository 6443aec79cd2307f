import {
  type ConsumeOptions,
  type JobHandler,
  type JsonObject,
  type Logger,
  PatchbayError,
  type Postponement,
} from '@patchbay/core/plugin';
import { ConsumerLoop } from '@patchbay/core/storage';
import type { PgBoss } from 'pg-boss';
import { HeldJob } from './held-job.ts';
import { type ClaimedJob, type JobTable, readJobData } from './job-table.ts';

export interface ConsumerDependencies {
  readonly boss: PgBoss;
  readonly table: JobTable;
  readonly logger: Logger;
  /** Milliseconds between two polls for jobs without a notification. */
  readonly pollMs: number;
  /** Aborts when the queue is stopping. */
  readonly stopping: AbortSignal;
  /** Resolves when the queue of the topic is there. */
  readonly ready: () => Promise<void>;
}

const MAX_ERROR_CHARACTERS = 500;

/** Claims the jobs of one topic that are due, as many at a time as it may, by turns of their tenants, and hands them over. */
export class TopicConsumer extends ConsumerLoop {
  readonly #handler: JobHandler;
  readonly #options: Required<ConsumeOptions>;
  readonly #dependencies: ConsumerDependencies;
  /** Whose turn was last. */
  #lastTenant = '';

  constructor(
    topic: string,
    handler: JobHandler,
    options: Required<ConsumeOptions>,
    dependencies: ConsumerDependencies,
  ) {
    super({ ...dependencies, topic, concurrency: options.concurrency });
    this.#handler = handler;
    this.#options = options;
    this.#dependencies = dependencies;
  }

  protected override async prepare(): Promise<void> {
    await this.#dependencies.ready();
    await this.#dependencies.table.reclaim(this.topic);
  }

  protected override async take(room: number) {
    const leaseSeconds = Math.max(1, Math.ceil(this.#options.leaseMs / 1_000));
    const after = this.#lastTenant;
    const jobs = await this.#dependencies.table.claim(this.topic, room, leaseSeconds, after);
    this.#lastTenant = lastTurn(
      jobs.flatMap(({ data }) => readJobData(data)?.tenant ?? []),
      after,
    );
    return { deliveries: jobs.map((job) => this.#deliver(job)), more: jobs.length > 0 };
  }

  async #deliver({ id, data, retryCount, createdOn }: ClaimedJob): Promise<void> {
    const { boss, stopping, logger } = this.#dependencies;
    const { topic } = this;
    const given = readJobData(data);
    if (given === undefined) return await this.#setAside(id);
    const attempt = retryCount + 1;
    const claim = { topic, id, retryCount };
    const job = { ...given, id, topic, attempt, createdAt: createdOn.toISOString() };
    const held = new HeldJob({ boss, claim, leaseMs: this.#options.leaseMs, job }, stopping);
    try {
      // Its consumers died with it each time, before they could count a failure.
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

  /** Not deleted: its producer may want to see it. */
  async #setAside(id: string): Promise<void> {
    const { boss, logger } = this.#dependencies;
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
    const { boss, table } = this.#dependencies;
    const { topic, id, retryCount } = claim;
    if (postponed !== undefined) await table.postpone(claim, postponed.postponeMs);
    else await boss.complete(topic, { id, retryCount });
  }

  async #fail({ claim, job }: HeldJob, failure: unknown): Promise<void> {
    const { table, logger } = this.#dependencies;
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
  return Promise.reject(new Error('its consumers stopped without settling it'));
}

/** The part of a failure that is kept for operators. */
function jobError(error: unknown): JsonObject {
  const text = error instanceof Error ? error.message : String(error);
  const message = text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed().replaceAll('\0', '');
  return PatchbayError.is(error) ? { code: error.code, message } : { message };
}
