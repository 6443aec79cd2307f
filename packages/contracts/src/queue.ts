import type { JsonObject, JsonValue } from './json.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Write } from './storage.ts';
import type { TenantId } from './tenant.ts';

/** Deferred work. */
export interface NewJob {
  /** The kind of work: 1 to 100 letters, digits, `.`, `_` and `-`. */
  readonly topic: string;
  /** Prefer ids to documents, which may change before the job runs. At most 64 KiB of JSON. */
  readonly payload: JsonValue;
  /** Milliseconds before which it is not delivered. Default 0. */
  readonly delayMs?: number;
  /**
   * While a job of this tenant and topic with the same key is queued or running, this one is dropped. At most
   * 255 characters.
   */
  readonly dedupeKey?: string;
}

/** One delivery of a job to a handler. */
export interface Job {
  readonly id: string;
  readonly topic: string;
  readonly tenant: TenantId;
  readonly payload: JsonValue;
  /** 1 at the first attempt. */
  readonly attempt: number;
  /** When it was enqueued. ISO 8601, UTC, three decimals. */
  readonly createdAt: string;
  /** Aborts when the lease is lost or the queue is stopping: another consumer may receive the job from then on. */
  readonly signal: AbortSignal;
}

/** Result of a handler that postpones the job. The delivery does not count as an attempt. */
export interface Postponement {
  readonly postponeMs: number;
}

/** Resolves to undefined: done. Rejects: retried later, up to the maximum number of attempts. */
export type JobHandler = (job: Job) => Promise<Postponement | undefined>;

export interface ConsumeOptions {
  /** Concurrent jobs in this process. Default 10. */
  readonly concurrency?: number;
  /**
   * Milliseconds after which the job of a crashed consumer is redelivered. Renewed while the handler
   * runs. Default 30,000.
   */
  readonly leaseMs?: number;
  /** Maximum number of deliveries, including those to crashed consumers, before a job is dead. Default 10. */
  readonly maxAttempts?: number;
  /** Milliseconds from a failed attempt to the next. Default: a second, doubled each time, at most an hour, ±20 %. */
  backoffMs?(attempt: number, error: unknown): number;
}

export interface Consumer {
  /** Take no more jobs. Resolves when the running ones have ended. */
  stop(): Promise<void>;
  /**
   * Change the number of concurrent jobs. Running jobs continue, even beyond it. Without this method, a host
   * that changes the number starts another consumer, and for a while both run jobs.
   */
  resize?(concurrency: number): void;
}

/** A job without attempts left. It is kept until it is retried or discarded. */
export interface DeadJob {
  readonly id: string;
  readonly topic: string;
  readonly tenant: TenantId;
  readonly payload: JsonValue;
  readonly attempts: number;
  /** The error of the last attempt: `message`, and `code` where there was one. */
  readonly error: JsonObject;
  readonly createdAt: string;
  readonly diedAt: string;
}

/**
 * Delivers jobs **at least once**, even after a crash if the queue declares the capability `durable`. A job
 * is leased to one consumer at a time; a consumer that lost its lease cannot settle it. Handlers must tolerate duplicates.
 *
 * Tenants are served round-robin: however many jobs one tenant has queued, they delay another tenant by about one job.
 * The jobs of a tenant are delivered roughly in the order in which they are due, without a guarantee.
 *
 * @example
 * ```ts
 * import type { Queue, TenantId } from '@patchbay/core/plugin';
 * import type { Storage } from '@patchbay/core/storage';
 *
 * async function rename(storage: Storage, queue: Queue, tenant: TenantId, id: string) {
 *   const announce = queue.write(tenant, { topic: 'announce', payload: { id } });
 *   const result = await storage.commit(tenant, [{ update: 'functions', id, set: { name: 'Echo' } }, announce]);
 *   if (result.done) queue.notify('announce');
 * }
 * ```
 */
export interface Queue extends Lifecycle {
  /** Enqueue one job. Durable queues resolve when it is on disk. */
  enqueue(tenant: TenantId, job: NewJob): Promise<'enqueued' | 'duplicate'>;

  /**
   * A job as a write for the commit of the change that it belongs to: both are stored or neither. The commit
   * is refused as `exists` at the index of this write if a job has the same `dedupeKey`.
   */
  write(tenant: TenantId, job: NewJob): Write;

  /** Announce that a commit contained jobs of this topic: consumers look for them immediately instead of at the next poll. */
  notify(topic: string): void;

  /** Deliver jobs of a topic to a handler. Any number of consumers, in any number of processes, share a topic. */
  consume(topic: string, handler: JobHandler, options?: ConsumeOptions): Consumer;

  /** Dead jobs of all tenants, up to `limit`, oldest first. */
  dead(topic: string, limit: number): Promise<readonly DeadJob[]>;

  /** Retry a dead job with all its attempts. False if it does not exist, or one with its `dedupeKey` is queued. */
  revive(tenant: TenantId, id: string): Promise<boolean>;

  /** Delete a dead job. False if it does not exist. */
  discard(tenant: TenantId, id: string): Promise<boolean>;
}
