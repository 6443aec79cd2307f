import assert from 'node:assert/strict';
import {
  type ConsumeOptions,
  type Job,
  type JobHandler,
  type Queue,
  type TenantId,
  tenantId,
} from '@patchbay/core/plugin';
import type { Storage } from '@patchbay/core/storage';
import type { Runner } from '../runner.ts';

/** A queue that is started and empty. */
export interface QueueUnderTest {
  readonly queue: Queue;
  /** Where the writes of the queue are committed. */
  readonly storage: Storage;
  /** Another queue over the same jobs, as another process would have it. */
  readonly another: () => Promise<Queue>;
  /** Let time pass for the queue: move the clock that drives it, or wait. */
  readonly advance: (ms: number) => Promise<void>;
  /** Stop everything and start a queue over the same data. Needed by queues that claim to be `durable`. */
  readonly reopen?: () => Promise<Queue>;
  /** Stop everything that runs and remove the data. Called once, at the end of a test. */
  dispose(): Promise<void>;
}

export interface QueueConformanceOptions {
  /** A fresh queue for each test. */
  create(): Promise<QueueUnderTest>;
  /** The capabilities in the plugin's definition. `durable`: jobs outlive a restart. */
  readonly capabilities?: readonly string[];
}

/** The subject of a topic of the suite. */
export interface QueueSuite {
  readonly runner: Runner;
  readonly options: QueueConformanceOptions;
  /** A test with a separate queue. */
  readonly it: (name: string, body: (subject: QueueUnderTest) => Promise<void>) => void;
}

export const acme: TenantId = tenantId('acme');
export const other: TenantId = tenantId('other');

/** Milliseconds of the leases in the suite; long enough not to be renewed while a test moves the clock. */
export const LEASE_MS = 60_000;

/** How long a test waits for what has to arrive, counted from the last arrival. */
const PATIENCE_MS = 10_000;

/** A consumer that a test can inspect. */
export interface Watched {
  /** Every delivery so far. */
  readonly jobs: readonly Job[];
  /** Resolves to all deliveries once there are this many. */
  received(count: number): Promise<readonly Job[]>;
  stop(): Promise<void>;
  readonly resize?: (concurrency: number) => void;
}

/** Consume a topic and record deliveries. Without a handler every job completes at once. */
export function watch(queue: Queue, topic: string, handler?: JobHandler, options: ConsumeOptions = {}): Watched {
  const jobs: Job[] = [];
  const waiting = new Set<() => void>();
  const consumer = queue.consume(
    topic,
    async (job) => {
      jobs.push(job);
      for (const check of waiting) check();
      return await handler?.(job);
    },
    // One at a time, jobs arrive in the order in which they are due, so when the last one has, all have.
    { leaseMs: LEASE_MS, backoffMs: () => 1_000, concurrency: 1, ...options },
  );
  return {
    jobs,
    async received(count) {
      await within(
        new Promise<void>((resolve) => {
          const check = () => {
            if (jobs.length >= count) resolve();
          };
          waiting.add(check);
          check();
        }),
        () => `${jobs.length} of ${count} deliveries came`,
      );
      return jobs;
    },
    stop: () => consumer.stop(),
    ...(consumer.resize && { resize: consumer.resize.bind(consumer) }),
  };
}

/** Wait for something that has to arrive, and report what was missing if it does not. */
export async function within<T>(promise: Promise<T>, missing: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const wait = (before: string) => {
      timer = setTimeout(() => {
        const message = missing();
        // A busy machine is slow, but makes progress.
        if (message === before) reject(new assert.AssertionError({ message }));
        else wait(message);
      }, PATIENCE_MS);
    };
    wait(missing());
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Make sure that everything that is due in a topic has been delivered: a job that is enqueued last is waited for. It is
 * due after the others, so a queue that holds one of them back shows it.
 */
export async function settled({ queue, advance }: QueueUnderTest, watched: Watched, topic: string): Promise<void> {
  await advance(1);
  const marker = `marker ${Math.random()}`;
  await queue.enqueue(acme, { topic, payload: marker });
  while (!watched.jobs.some(({ payload }) => payload === marker)) await watched.received(watched.jobs.length + 1);
}

/** Consume everything in a topic that is due now, stop, and return the deliveries. */
export async function drain(
  subject: QueueUnderTest,
  topic: string,
  handler?: JobHandler,
  options?: ConsumeOptions,
): Promise<readonly Job[]> {
  const answer: JobHandler = async (job) => (isMarker(job) ? undefined : await handler?.(job));
  const watched = watch(subject.queue, topic, answer, options);
  await settled(subject, watched, topic);
  await watched.stop();
  return watched.jobs.filter((job) => !isMarker(job));
}

/** The handler of a consumer that is about to be killed: it waits until its queue is gone. */
export function hang({ signal }: Job): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Deliveries except those of `settled`. */
export function payloads({ jobs }: Watched): readonly unknown[] {
  return jobs.filter((job) => !isMarker(job)).map(({ payload }) => payload);
}

/** Whether a job is one of those that `settled` enqueues. */
export function isMarker({ payload }: Job): boolean {
  return typeof payload === 'string' && payload.startsWith('marker ');
}
