import type { JsonObject, JsonValue } from './json.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Write } from './storage.ts';
import type { TenantId } from './tenant.ts';

/** Work to be done later. */
export interface NewJob {
  /** The kind of work: 1 to 100 letters, digits, `.`, `_` and `-`. */
  readonly topic: string;
  /** Ids rather than documents, which may have changed when the job is done. At most 64 KiB of JSON. */
  readonly payload: JsonValue;
  /** Milliseconds before which it is not delivered. Default 0. */
  readonly delayMs?: number;
  /**
   * While a job of this tenant and topic with the same key waits or is being worked on, this one is dropped. At most
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
  /** 1 at the first try. */
  readonly attempt: number;
  /** When it was enqueued. ISO 8601, UTC, three decimals. */
  readonly createdAt: string;
  /** Aborts when the lease is lost or the queue is stopping: another consumer may have the job from then on. */
  readonly signal: AbortSignal;
}

/** Result of a handler that cannot do the job yet. The delivery does not count as an attempt. */
export interface Postponement {
  readonly postponeMs: number;
}

/** Resolves to nothing: done. Rejects: tried again later, until the attempts are used up. */
export type JobHandler = (job: Job) => Promise<Postponement | undefined>;

export interface ConsumeOptions {
  /** Jobs at the same time in this process. Default 10. */
  readonly concurrency?: number;
  /**
   * Milliseconds after which the job of a consumer that is gone is delivered to another. Renewed while the handler
   * works, however long that takes. Default 30,000.
   */
  readonly leaseMs?: number;
  /** Deliveries, those to consumers that died included, after which a job is dead. Default 10. */
  readonly maxAttempts?: number;
  /** Milliseconds from a failed attempt to the next. Default: a second, doubled each time, at most an hour, ±20 %. */
  backoffMs?(attempt: number, error: unknown): number;
}

export interface Consumer {
  /** Take no more jobs. Resolves when those under way have ended. */
  stop(): Promise<void>;
  /**
   * Have so many jobs at the same time from now on. Those under way go on, also where they are more. Without this, a host
   * that gets another number starts another consumer, and for a while both have jobs.
   */
  resize?(concurrency: number): void;
}

/** A job whose attempts are used up. It is kept until it is revived or discarded. */
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
 * Hands jobs to handlers **at least once**, also after a crash where the queue claims the capability `durable`. A job
 * is leased to one consumer at a time; a consumer that lost its lease cannot settle it. Handlers must tolerate duplicates.
 *
 * Tenants take turns: however many jobs one of them has waiting, they delay the job of another by about the time of one.
 * The jobs of a tenant come in the order in which they are due, but no order is promised.
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
  /** Enqueue one job by itself. Durable queues have it on disk when this resolves. */
  enqueue(tenant: TenantId, job: NewJob): Promise<'enqueued' | 'duplicate'>;

  /**
   * A job as a write, to be put into the commit of the change that it belongs to: both happen or neither. The commit
   * is refused as `exists` at the place of this write where a job has the same `dedupeKey`.
   */
  write(tenant: TenantId, job: NewJob): Write;

  /** Say that a commit had jobs of this topic: they are looked for at once, and not only at the next poll. */
  notify(topic: string): void;

  /** Hand jobs of a topic to a handler from now on. Any number of consumers, in any number of processes, share a topic. */
  consume(topic: string, handler: JobHandler, options?: ConsumeOptions): Consumer;

  /** Dead jobs of all tenants, up to `limit`, those that died first first. */
  dead(topic: string, limit: number): Promise<readonly DeadJob[]>;

  /** Deliver a dead job again, with all its attempts. False where there is none, or one with its `dedupeKey` waits. */
  revive(tenant: TenantId, id: string): Promise<boolean>;

  /** Remove a dead job for good. False where there is none. */
  discard(tenant: TenantId, id: string): Promise<boolean>;
}
