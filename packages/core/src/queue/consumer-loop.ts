import type { Logger } from '../contracts/context.ts';
import type { Consumer } from '../contracts/queue.ts';

/** The jobs that one look of a `ConsumerLoop` has claimed. */
export interface TakenJobs {
  /** Deliveries under way. None may reject. */
  readonly deliveries: readonly Promise<void>[];
  /** Whether more jobs may be due already. */
  readonly more: boolean;
  /** Milliseconds until the next job is due. Default: the poll interval. */
  readonly pauseMs?: number;
}

/** Options of a `ConsumerLoop`. */
export interface ConsumerLoopOptions {
  readonly topic: string;
  /** Jobs that are delivered at the same time, at most. */
  readonly concurrency: number;
  /** Milliseconds between two looks for jobs. */
  readonly pollMs: number;
  readonly logger: Logger;
  /** Aborts when the queue is stopping. */
  readonly stopping: AbortSignal;
}

/** Most jobs that are claimed in one look. */
const BATCH = 50;

/**
 * The loop of a consumer: looks for due jobs when it is asked to and at intervals, one look at a time, claims as many as
 * there is room for, and waits for their deliveries when it stops. How jobs are found and delivered is up to the queue.
 */
export abstract class ConsumerLoop implements Consumer {
  readonly topic: string;
  readonly #options: ConsumerLoopOptions;
  #concurrency: number;
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(options: ConsumerLoopOptions) {
    this.topic = options.topic;
    this.#concurrency = options.concurrency;
    this.#options = options;
  }

  /** Claim and start up to `room` due jobs. */
  protected abstract take(room: number): Promise<TakenJobs>;

  /** Runs once before the takes of a look; while it fails, nothing is taken. */
  protected async prepare(): Promise<void> {}

  protected get isStopped(): boolean {
    return this.#stopped;
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
    let pauseMs = this.#options.pollMs;
    let isPrepared = false;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        if (!isPrepared) await this.prepare();
        isPrepared = true;
        pauseMs = await this.#takeRoom();
      } catch (error) {
        this.#options.logger.warn('jobs cannot be claimed', { topic: this.topic, error });
      }
    }
    // At once, so that no look that is asked for from now on is taken for one that is under way.
    this.#looking = undefined;
    if (!this.#stopped) this.#timer = setTimeout(() => this.look(), pauseMs).unref();
  }

  /** @returns milliseconds until the next look. */
  async #takeRoom(): Promise<number> {
    const { pollMs } = this.#options;
    const room = Math.min(this.#concurrency - this.#underWay.size, BATCH);
    // A delivery that ends looks again.
    if (room <= 0) return pollMs;
    const { deliveries, more, pauseMs = pollMs } = await this.take(room);
    for (const delivery of deliveries) this.#follow(delivery);
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
}
