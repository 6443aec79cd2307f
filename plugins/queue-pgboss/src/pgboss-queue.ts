import {
  type Clock,
  type DeadJob,
  type Health,
  type JsonObject,
  type Logger,
  type NewJob,
  PatchbayError,
  type Queue,
  type TenantId,
} from '@patchbay/core/plugin';
import { JobQueue, type Storage, type Write } from '@patchbay/core/storage';
import { PgBoss } from 'pg-boss';
import { channelOf, createEnqueueFunction, newJobStatement, requireSameDatabase, statementWrite } from './enqueue.ts';
import { type ClaimedJob, type ClaimRequest, JobTable, readJobData } from './job-table.ts';

export interface PgBossQueueOptions {
  readonly url: string;
  /** A plain name. */
  readonly schema: string;
  readonly poolSize: number;
  readonly pollMs: number;
  /** Seconds for which jobs that are done stay in the table. */
  readonly keepSeconds: number;
  readonly storage: Storage;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly logger: Logger;
}

/** Jobs in the tables of pg-boss, in the database of the storage: a job is enqueued in the transaction of its change. */
export class PgBossQueue extends JobQueue {
  readonly #options: PgBossQueueOptions;
  readonly #boss: PgBoss;
  readonly #table: JobTable;
  readonly #topics = new Map<string, Promise<void>>();
  #listening: { close(): Promise<void> } | undefined;

  constructor(options: PgBossQueueOptions) {
    super(options);
    const { url, schema, poolSize, logger } = options;
    this.#options = options;
    this.#boss = new PgBoss({
      connectionString: url,
      schema,
      max: poolSize,
      application_name: 'patchbay-queue',
      schedule: false,
    });
    const report = onceAMinute((error) => logger.warn('the queue failed; it is retried', { error }));
    this.#boss.on('error', report);
    this.#boss.on('warning', ({ message }) => logger.warn(`pg-boss: ${message}`));
    this.#table = new JobTable(this.#boss.getDb(), schema);
  }

  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      // Its connections and timers would keep the process.
      await this.#boss.stop({ graceful: false });
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { schema, keepSeconds, storage, clock, logger } = this.#options;
    await this.#boss.start();
    const database = this.#boss.getDb();
    await requireSameDatabase(database, storage);
    await createEnqueueFunction(database, schema, keepSeconds);
    const moved = await takeOver(storage, this, clock.now());
    if (moved > 0) logger.info('took over jobs from the storage', { moved });
    const all = () => this.look();
    // Without it, everything still works, a second later.
    this.#listening = await database
      .listen?.(channelOf(schema), (topic) => this.look(topic), all)
      .catch((error: unknown) => {
        logger.warn('the queue cannot listen for jobs of other processes; it polls', { error });
        return undefined;
      });
  }

  async enqueue(tenant: TenantId, job: NewJob): Promise<'enqueued' | 'duplicate'> {
    const { sql, parameters } = this.#newJob(tenant, job);
    const { rows } = await reach(this.#boss.getDb().executeSql(sql, [...parameters]));
    return rows.length > 0 ? 'enqueued' : 'duplicate';
  }

  write(tenant: TenantId, job: NewJob): Write {
    return statementWrite(this.#newJob(tenant, job));
  }

  notify(topic: string): void {
    // The database notifies all processes; this one takes a shortcut.
    this.look(topic);
  }

  protected override async prepare(topic: string): Promise<void> {
    await this.#ready(topic);
    await this.#table.reclaim(topic);
  }

  protected override async take(request: ClaimRequest) {
    const { topic, lastTenant } = request;
    const claimed = await this.#table.claim(request);
    const jobs = claimed.flatMap((job) => this.#lease(topic, job) ?? []);
    const foreign = claimed.filter(({ id }) => !jobs.some((job) => job.id === id));
    await Promise.all(foreign.map(({ id }) => this.#setAside(topic, id)));
    const tenants = jobs.map(({ tenant }) => tenant);
    return { jobs, more: claimed.length > 0, lastTenant: lastTurn(tenants, lastTenant) };
  }

  /** Undefined for a job that this queue has not written. */
  #lease(topic: string, { id, data, retryCount, createdOn }: ClaimedJob) {
    const given = readJobData(data);
    if (given === undefined) return undefined;
    const claim = { topic, id, retryCount };
    return {
      ...given,
      id,
      topic,
      attempt: retryCount + 1,
      createdAt: createdOn.toISOString(),
      renew: async () => {
        // Its types omit the result.
        const answer: { readonly affected?: number } = await this.#boss.touch(topic, { id, retryCount });
        return answer.affected !== 0;
      },
      complete: async () => {
        await this.#boss.complete(topic, { id, retryCount });
        return true;
      },
      postpone: (delayMs: number) => this.#table.postpone(claim, delayMs),
      retry: (delayMs: number, error: JsonObject) => this.#table.retry(claim, delayMs, error),
      bury: (attempts: number, error: JsonObject) => this.#table.bury(claim, attempts, error),
    };
  }

  /** Not deleted: its producer may want to see it. */
  async #setAside(topic: string, id: string): Promise<void> {
    const { logger } = this.#options;
    try {
      await this.#boss.cancel(topic, id);
      logger.error('a job was moved aside: it was not enqueued by this queue', { topic, jobId: id });
    } catch (error) {
      // Its lease expires, and then it is checked again.
      logger.warn('a job that was not enqueued by this queue cannot be moved aside', { topic, jobId: id, error });
    }
  }

  async dead(topic: string, limit: number): Promise<readonly DeadJob[]> {
    return await reach(this.#table.dead(topic, limit));
  }

  async revive(tenant: TenantId, id: string): Promise<boolean> {
    const topic = await reach(this.#table.revive(tenant, id));
    if (topic !== undefined) this.notify(topic);
    return topic !== undefined;
  }

  async discard(tenant: TenantId, id: string): Promise<boolean> {
    return await reach(this.#table.discard(tenant, id));
  }

  override async health(): Promise<Health> {
    await reach(this.#boss.getDb().executeSql('SELECT 1'));
    return await super.health();
  }

  override async stop(): Promise<void> {
    await super.stop();
    // A connection that broke is closed as well.
    await this.#listening?.close().catch(() => {});
    await this.#boss.stop({ graceful: false });
  }

  #newJob(tenant: TenantId, job: NewJob) {
    this.check(job);
    return newJobStatement(this.#options.schema, tenant, job);
  }

  /** pg-boss fetches only from queues that it knows. */
  #ready(topic: string): Promise<void> {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const options = {
      policy: 'exclusive',
      heartbeatSeconds: 30,
      deleteAfterSeconds: this.#options.keepSeconds,
    } as const;
    const made = this.#boss.createQueue(topic, options).catch((error: unknown) => {
      this.#topics.delete(topic);
      throw error;
    });
    this.#topics.set(topic, made);
    return made;
  }
}

/** Fails like the built-in queue when its storage is unavailable. */
async function reach<T>(answer: Promise<T>): Promise<T> {
  return await answer.catch((cause: unknown) => {
    throw new PatchbayError('storage_unavailable', 'the queue cannot be reached right now', { cause, retryAfter: 1 });
  });
}

/** Turns go around: from the tenant after the last one to the end, then from the beginning. */
function lastTurn(tenants: readonly string[], after: string): string {
  const before = tenants.filter((tenant) => tenant <= after);
  return (before.length > 0 ? before : tenants).toSorted().at(-1) ?? after;
}

/** How many are read at once; each has a payload of 64 KiB at most. */
const BATCH = 100;

/**
 * Move the jobs that the built-in queue has left in the storage: a change of the queue in the config loses none. Each
 * is moved in one commit, so that two starting servers move it once. Its attempts are reset.
 *
 * @returns how many were moved
 */
async function takeOver(storage: Storage, queue: Pick<Queue, 'write'>, now: number): Promise<number> {
  let moved = 0;
  for (;;) {
    const found = await storage.scanAllTenants('jobs', { state: 'waiting' }, BATCH);
    for (const { tenant, row } of found) {
      const { id, topic, payload, dedupeKey, revision } = row;
      const leave = { delete: 'jobs', id, ifRevision: revision } as const;
      const delayMs = Math.max(0, Date.parse(row.dueAt) - now);
      const job = { topic, payload, delayMs, ...(dedupeKey !== null && { dedupeKey }) };
      const result = await storage.commit(tenant, [leave, queue.write(tenant, job)]);
      if (result.done) moved += 1;
      // Another one with its key waits here already.
      else if (result.reason === 'exists') await storage.commit(tenant, [leave]);
    }
    if (found.length < BATCH) return moved;
  }
}

/** Each timer of pg-boss reports each attempt: while a database is away, the same error several times a second. */
function onceAMinute(report: (error: Error) => void): (error: Error) => void {
  const reportedAt = new Map<string, number>();
  return (error) => {
    const now = performance.now();
    if (now - (reportedAt.get(error.message) ?? Number.NEGATIVE_INFINITY) < 60_000) return;
    if (reportedAt.size >= 100) reportedAt.clear();
    reportedAt.set(error.message, now);
    report(error);
  };
}
