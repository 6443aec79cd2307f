import { backoffMs } from '@patchbay/contracts/base/clock';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { Health } from '@patchbay/contracts/lifecycle';
import type { ConsumeOptions, Consumer, DeadJob, JobHandler, NewJob, Queue } from '@patchbay/contracts/queue';
import type { Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { ConsumerLoop, type TakenJobs, type TakeRequest } from './consumer-loop.ts';

const LONGEST_BACKOFF_MS = 3_600_000;

export interface JobQueueOptions {
  /** Times leases. */
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** Milliseconds between two polls for jobs. */
  readonly pollMs: number;
  /** A number from 0 to 1, for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}

const STOP_MS = 5_000;
const MAX_PAYLOAD_CHARACTERS = 65_536;

/**
 * The part of a queue that does not depend on where jobs are kept: consumers, their leases, attempts and dead jobs. A
 * queue extends it, and defines how jobs are written, claimed and settled.
 */
export abstract class JobQueue implements Queue {
  readonly #options: JobQueueOptions;
  readonly #consumers = new Set<ConsumerLoop>();
  readonly #stopping = new AbortController();

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  abstract enqueue(tenant: TenantId, job: NewJob): Promise<'enqueued' | 'duplicate'>;
  abstract write(tenant: TenantId, job: NewJob): Write;
  abstract notify(topic: string): void;
  abstract dead(topic: string, limit: number): Promise<readonly DeadJob[]>;
  abstract revive(tenant: TenantId, id: string): Promise<boolean>;
  abstract discard(tenant: TenantId, id: string): Promise<boolean>;

  /** Claim due jobs of a topic, with tenants taking turns. */
  protected abstract take(request: TakeRequest): Promise<TakenJobs>;

  /** Runs before the takes of a poll of a topic; while it fails, nothing is taken. */
  protected async prepare(_topic: string): Promise<void> {}

  consume(topic: string, handler: JobHandler, options: ConsumeOptions = {}): Consumer {
    const { concurrency = 10, leaseMs = 30_000, maxAttempts = 10 } = options;
    const standardBackoff = (attempt: number) => backoffMs(attempt, LONGEST_BACKOFF_MS, this.#options.random);
    const consumer = new ConsumerLoop(handler, {
      ...this.#options,
      topic,
      concurrency,
      leaseMs,
      maxAttempts,
      backoffMs: options.backoffMs?.bind(options) ?? standardBackoff,
      stopping: this.#stopping.signal,
      prepare: () => this.prepare(topic),
      take: (request) => this.take(request),
    });
    this.#consumers.add(consumer);
    consumer.look();
    return {
      resize: (most) => consumer.resize(most),
      stop: async () => {
        this.#consumers.delete(consumer);
        await consumer.stop();
      },
    };
  }

  async health(): Promise<Health> {
    const topics = new Set([...this.#consumers].map(({ topic }) => topic));
    for (const topic of topics) {
      if ((await this.dead(topic, 1)).length > 0) return { status: 'warn', detail: `there are dead jobs of ${topic}` };
    }
    return { status: 'pass' };
  }

  async stop(): Promise<void> {
    const stopped = Promise.all([...this.#consumers].map((consumer) => consumer.stop()));
    this.#consumers.clear();
    this.#stopping.abort(new Error('the queue is stopping'));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    // A handler that ignores its signal is left behind, together with its jobs: their leases expire.
    await Promise.race([stopped, late]);
    clearTimeout(timer);
  }

  /** Have consumers of this process poll for jobs now: those of one topic, or all. */
  protected look(topic?: string): void {
    for (const consumer of this.#consumers) if (topic === undefined || consumer.topic === topic) consumer.look();
  }

  /** @throws TypeError for an invalid job: a fault of the calling code. */
  protected check({ topic, payload, delayMs = 0, dedupeKey }: NewJob): void {
    if (!/^[\w.-]{1,100}$/.test(topic)) throw new TypeError('a topic is 1 to 100 letters, digits, ".", "_" or "-"');
    if (!(delayMs >= 0 && delayMs < Number.POSITIVE_INFINITY)) {
      throw new TypeError('delayMs must be finite, and not negative');
    }
    if (dedupeKey !== undefined && (dedupeKey === '' || dedupeKey.length > 255)) {
      throw new TypeError('a dedupeKey has 1 to 255 characters');
    }
    if ((JSON.stringify(payload)?.length ?? Number.NaN) <= MAX_PAYLOAD_CHARACTERS) return;
    throw new TypeError(`the payload of a job has at most ${MAX_PAYLOAD_CHARACTERS} characters of JSON`);
  }
}
