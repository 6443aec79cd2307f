import type { JsonValue } from './json.ts';
import type { Lifecycle } from './lifecycle.ts';

/** One delivery of a job to a handler. */
export interface Job {
  readonly id: string;
  readonly payload: JsonValue;
  /** 1 at the first try. */
  readonly attempt: number;
  /** Aborts when the lease is lost or the host stops. */
  readonly signal: AbortSignal;
}

/** Resolves: done. Rejects: tried again later, with backoff. */
export type JobHandler = (job: Job) => Promise<void>;

/** Hands jobs to handlers at least once, also after a crash where the queue claims the capability `durable`. */
export interface Queue extends Lifecycle {
  /** `dedupeKey`: while a job with the same key waits in the topic, this one is dropped. */
  enqueue(
    topic: string,
    payload: JsonValue,
    options?: { readonly delayMs?: number; readonly dedupeKey?: string },
  ): Promise<void>;
  consume(topic: string, handler: JobHandler): void;
}
