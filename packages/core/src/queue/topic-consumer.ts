import { joinSignals } from '../base/signals.ts';
import { newId } from '../base/type-id.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { ConsumeOptions, Job, JobHandler, Postponement } from '../contracts/queue.ts';
import type { JobRow } from '../contracts/rows.ts';
import type { Storage, Write } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { ConsumerLoop, type TakenJobs } from './consumer-loop.ts';
import { JobLease } from './job-lease.ts';
import { jobError, timeOf } from './job-row.ts';

interface ConsumerDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds between two looks for jobs. */
  readonly pollMs: number;
  /** Aborts when the queue is stopping. */
  readonly stopping: AbortSignal;
}

interface Found {
  readonly tenant: TenantId;
  readonly row: JobRow;
}

/** Heads of tenants that are read at once. */
const BATCH = 50;

/**
 * Takes the jobs of one topic that are due, as many at a time as it may, and hands them over. Tenants take turns: one that
 * has many jobs waiting delays those of another by the time of one job.
 */
export class TopicConsumer extends ConsumerLoop {
  readonly #handler: JobHandler;
  readonly #options: Required<ConsumeOptions>;
  readonly #parts: ConsumerDependencies;
  /** Whose turn was last. */
  #lastTenant: TenantId | undefined;

  constructor(topic: string, handler: JobHandler, options: Required<ConsumeOptions>, parts: ConsumerDependencies) {
    super({ ...parts, topic, concurrency: options.concurrency });
    this.#handler = handler;
    this.#options = options;
    this.#parts = parts;
  }

  protected override async take(room: number): Promise<TakenJobs> {
    const { storage, clock } = this.#parts;
    const now = clock.now();
    const isDue = ({ row }: Found): boolean => Date.parse(row.dueAt) <= now;
    // The most that can be due: one more than there is room for tells when the next is.
    const oldest = await storage.scanAllTenants('jobs', this.#where, room + 1, 'dueAt');
    const isCrowded = oldest.length > room && isDue(oldest[room] as Found);
    const heads = isCrowded ? await this.#heads(room, isDue) : [];
    if (this.isStopped) return { deliveries: [], more: false };
    // Room that is left once each tenant had a turn goes to the jobs that have waited longest.
    const taken = new Set(heads.map(({ row }) => row.id));
    const others = oldest.filter((each) => isDue(each) && !taken.has(each.row.id));
    const due = [...heads, ...others].slice(0, room);
    this.#lastTenant = heads.at(-1)?.tenant ?? this.#lastTenant;
    const claims = await Promise.all(due.map((each) => this.#claim(each, now)));
    const next = oldest[due.length];
    return {
      deliveries: claims.flatMap((claim) => claim ?? []),
      // There may be more, and what another consumer was faster with has made room.
      more: due.length > 0,
      ...(next && { pauseMs: Math.max(Date.parse(next.row.dueAt) - now, 1) }),
    };
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

  /** Its delivery, in a list because a promise in a promise would be awaited; nothing where another consumer was faster. */
  async #claim({ tenant, row }: Found, now: number): Promise<readonly [Promise<void>] | undefined> {
    const { storage, logger } = this.#parts;
    const { leaseMs } = this.#options;
    const set = { dueAt: timeOf(now + leaseMs), attempt: row.attempt + 1 };
    const { done } = await storage.commit(tenant, [{ update: 'jobs', id: row.id, set, ifRevision: row.revision }]);
    if (!done) return undefined;
    const lease = new JobLease(tenant, { ...row, ...set, revision: row.revision + 1 }, { ...this.#parts, leaseMs });
    const delivery = deliver(lease, this.#handler, this.#options, this.#parts).catch((error: unknown) => {
      // Its lease expires, and then it is delivered again.
      logger.error('the result of a job could not be written', { topic: this.topic, jobId: row.id, error });
    });
    return [delivery];
  }
}

type Delivered = { readonly result: Postponement | undefined } | { readonly failure: unknown };

/** Hand a job to its handler, and write down what came of it. */
async function deliver(
  lease: JobLease,
  handler: JobHandler,
  options: Required<ConsumeOptions>,
  parts: Pick<ConsumerDependencies, 'clock' | 'logger' | 'stopping'>,
): Promise<void> {
  const { row } = lease;
  const { clock, logger, stopping } = parts;
  // Each consumer before died with it, before it could count the failure.
  const spent = row.attempt > options.maxAttempts;
  const delivered = spent
    ? { failure: new Error('its consumers stopped without settling it') }
    : await attempt(handler, lease, stopping);
  await lease.settle((id, ifRevision): readonly Write[] => {
    const now = clock.now();
    if ('result' in delivered) {
      if (delivered.result === undefined) return [{ delete: 'jobs', id, ifRevision }];
      const dueAt = timeOf(now + delivered.result.postponeMs);
      return [{ update: 'jobs', id, set: { dueAt, attempt: row.attempt - 1 }, ifRevision }];
    }
    const error = jobError(delivered.failure);
    if (row.attempt < options.maxAttempts) {
      const dueAt = timeOf(now + options.backoffMs(row.attempt, delivered.failure));
      return [{ update: 'jobs', id, set: { dueAt, error }, ifRevision }];
    }
    logger.error('a job is dead', { topic: row.topic, jobId: id, attempts: row.attempt, error: delivered.failure });
    return bury({ ...row, attempt: options.maxAttempts, error, dueAt: timeOf(now) }, ifRevision);
  });
}

async function attempt(handler: JobHandler, lease: JobLease, stopping: AbortSignal): Promise<Delivered> {
  const { signal, release } = joinSignals(lease.signal, stopping);
  try {
    return { result: await handler(jobOf(lease, signal)) };
  } catch (failure) {
    return { failure };
  } finally {
    release();
  }
}

function jobOf({ row, tenant }: JobLease, signal: AbortSignal): Job {
  const { id, topic, payload, attempt: count, createdAt } = row;
  return { id, topic, tenant, payload, attempt: count, createdAt, signal };
}

// A dead job must not keep others with its key out, so it goes on under a new id.
function bury(row: JobRow, ifRevision: number): readonly Write[] {
  const { id, attempt: attempts, error, dueAt } = row;
  if (row.dedupeKey === null) {
    return [{ update: 'jobs', id, set: { state: 'dead', attempt: attempts, error, dueAt }, ifRevision }];
  }
  return [
    { delete: 'jobs', id, ifRevision },
    { insert: 'jobs', row: { ...row, id: newId('job'), revision: 1, state: 'dead' } },
  ];
}
