import { RecurringFailure } from '@patchbay/contracts/base/recurring-failure';
import { joinSignals } from '@patchbay/contracts/base/signals';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject } from '@patchbay/contracts/json';
import type { ConsumeOptions, Consumer, Job, JobHandler, Postponement } from '@patchbay/contracts/queue';
import { JobLease, type LeasedJob } from './job-lease.ts';

/** A poll for the due jobs of a topic. */
export interface TakeRequest {
  readonly topic: string;
  /** How many jobs to claim at most. */
  readonly room: number;
  readonly leaseMs: number;
  /** The tenant whose turn was last. Empty: none. */
  readonly lastTenant: string;
  /** Whether the consumer wants no more jobs. */
  readonly isStopped: () => boolean;
}

/** The jobs that one poll of a topic has claimed. */
export interface TakenJobs {
  readonly jobs: readonly LeasedJob[];
  /** Whether more jobs may be due already. */
  readonly more: boolean;
  /** Milliseconds until the next job is due. Default: the poll interval. */
  readonly pauseMs?: number;
  /** The tenant whose turn was last. */
  readonly lastTenant?: string | undefined;
}

interface ConsumerLoopOptions extends Required<ConsumeOptions> {
  readonly topic: string;
  /** Milliseconds between two polls for jobs. */
  readonly pollMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** Aborts when the queue is stopping. */
  readonly stopping: AbortSignal;
  /** Runs once before the takes of a poll; while it fails, nothing is taken. */
  readonly prepare: () => Promise<void>;
  readonly take: (request: TakeRequest) => Promise<TakenJobs>;
}

/** Maximum number of jobs that are claimed in one poll. */
const BATCH = 50;

/**
 * A consumer of one topic: polls for due jobs on request and at intervals, one poll at a time, claims as many as there
 * is room for, hands them over, and waits for them when it stops.
 */
export class ConsumerLoop implements Consumer {
  readonly topic: string;
  readonly #handler: JobHandler;
  readonly #options: ConsumerLoopOptions;
  readonly #failure: RecurringFailure;
  /** Whose turn was last. */
  #lastTenant = '';
  #concurrency: number;
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(handler: JobHandler, options: ConsumerLoopOptions) {
    this.#handler = handler;
    this.topic = options.topic;
    this.#concurrency = options.concurrency;
    this.#options = options;
    this.#failure = new RecurringFailure({
      logger: options.logger,
      failing: 'jobs cannot be claimed',
      over: 'jobs are claimed again',
      fields: { topic: options.topic },
    });
  }

  /** Poll for jobs now, or again after the poll in progress. */
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
    let pauseMs = this.#options.pollMs;
    let isPrepared = false;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        if (!isPrepared) await this.#options.prepare();
        isPrepared = true;
        pauseMs = await this.#takeRoom();
        this.#failure.succeeded();
      } catch (error) {
        this.#failure.failed(error);
      }
    }
    // Immediately, so that polls requested from now on are not merged with the one in progress.
    this.#looking = undefined;
    if (!this.#stopped) this.#timer = setTimeout(() => this.look(), pauseMs).unref();
  }

  /** @returns milliseconds until the next poll. */
  async #takeRoom(): Promise<number> {
    const { leaseMs, pollMs } = this.#options;
    const room = Math.min(this.#concurrency - this.#underWay.size, BATCH);
    // A delivery polls again when it ends.
    if (room <= 0) return pollMs;
    const { topic } = this;
    const isStopped = (): boolean => this.#stopped;
    const taken = await this.#options.take({ topic, room, leaseMs, lastTenant: this.#lastTenant, isStopped });
    const { jobs, more, pauseMs = pollMs } = taken;
    this.#lastTenant = taken.lastTenant ?? this.#lastTenant;
    for (const job of jobs) this.#follow(this.#deliver(job));
    if (more) this.#again = true;
    return Math.min(pauseMs, pollMs);
  }

  #follow(delivery: Promise<void>): void {
    const followed = delivery.then(() => {
      this.#underWay.delete(followed);
      if (!this.#options.stopping.aborted) this.look();
    });
    this.#underWay.add(followed);
  }

  /** Hand a job to its handler, and record the outcome. Never rejects. */
  async #deliver(job: LeasedJob): Promise<void> {
    const { clock, leaseMs, logger, maxAttempts } = this.#options;
    const { id: jobId, attempt, topic } = job;
    const lease = new JobLease(job, leaseMs, clock);
    // Each previous consumer died with it, before it could count the failure.
    const spent = attempt > maxAttempts;
    const delivered = spent
      ? { failure: new Error('its consumers stopped without settling it') }
      : await this.#attempt(job, lease.signal);
    try {
      const isSettled = await lease.settle(() => this.#settle(job, delivered));
      if (!isSettled || !('failure' in delivered) || attempt < maxAttempts) return;
      logger.error('a job is dead', { topic, jobId, attempts: maxAttempts, error: delivered.failure });
    } catch (error) {
      // Its lease expires, and then it is delivered again.
      logger.error('the result of a job could not be written', { topic, jobId, error });
    }
  }

  async #attempt({ id, topic, tenant, payload, attempt, createdAt }: LeasedJob, lost: AbortSignal): Promise<Delivered> {
    const { signal, release } = joinSignals(lost, this.#options.stopping);
    const job: Job = { id, topic, tenant, payload, attempt, createdAt, signal };
    try {
      return { result: await this.#handler(job) };
    } catch (failure) {
      return { failure };
    } finally {
      release();
    }
  }

  async #settle(job: LeasedJob, delivered: Delivered): Promise<boolean> {
    const { backoffMs, maxAttempts } = this.#options;
    if ('result' in delivered) {
      const { result } = delivered;
      return result === undefined ? await job.complete() : await job.postpone(result.postponeMs);
    }
    const { failure } = delivered;
    if (job.attempt >= maxAttempts) return await job.bury(maxAttempts, jobError(failure));
    return await job.retry(backoffMs(job.attempt, failure), jobError(failure));
  }
}

type Delivered = { readonly result: Postponement | undefined } | { readonly failure: unknown };

const MAX_ERROR_CHARACTERS = 500;

/** The part of a failure that is kept for operators. */
function jobError(error: unknown): JsonObject {
  const text = error instanceof Error ? error.message : String(error);
  const message = text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed().replaceAll('\0', '');
  return PatchbayError.is(error) ? { code: error.code, message } : { message };
}
