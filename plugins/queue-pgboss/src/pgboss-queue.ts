import {
  type Clock,
  type ConsumeOptions,
  type Consumer,
  type DeadJob,
  type Health,
  type JobHandler,
  type Logger,
  type NewJob,
  PatchbayError,
  type Queue,
  type TenantId,
} from '@patchbay/core/plugin';
import type { Storage, Write } from '@patchbay/core/storage';
import { PgBoss } from 'pg-boss';
import { channelOf, createEnqueueFunction, newJobStatement, requireSameDatabase, statementWrite } from './enqueue.ts';
import { JobTable } from './job-table.ts';
import { TopicConsumer } from './topic-consumer.ts';

export interface PgBossQueueOptions {
  readonly url: string;
  /** A plain name. */
  readonly schema: string;
  readonly poolSize: number;
  readonly pollMs: number;
  /** Seconds for which jobs that are done stay in the table. */
  readonly keepSeconds: number;
  readonly storage: Storage;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

const STOP_MS = 5_000;

/** Jobs in the tables of pg-boss, in the database of the storage: a job is enqueued in the transaction of its change. */
export class PgBossQueue implements Queue {
  readonly #options: PgBossQueueOptions;
  readonly #boss: PgBoss;
  readonly #table: JobTable;
  readonly #consumers = new Set<TopicConsumer>();
  readonly #topics = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #listening: { close(): Promise<void> } | undefined;

  constructor(options: PgBossQueueOptions) {
    const { url, schema, poolSize, logger } = options;
    this.#options = options;
    this.#boss = new PgBoss({
      connectionString: url,
      schema,
      max: poolSize,
      application_name: 'patchbay-queue',
      schedule: false,
    });
    this.#boss.on('error', (error) => logger.warn('the queue failed; it is retried', { error }));
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
    const all = () => this.#look();
    // Without it everything goes on, a second later.
    this.#listening = await database
      .listen?.(channelOf(schema), (topic) => this.#look(topic), all)
      .catch((error: unknown) => {
        logger.warn('the queue cannot listen for jobs of other processes; it polls', { error });
        return undefined;
      });
  }

  async enqueue(tenant: TenantId, job: NewJob): Promise<'enqueued' | 'duplicate'> {
    const { sql, parameters } = newJobStatement(this.#options.schema, tenant, job);
    const { rows } = await reach(this.#boss.getDb().executeSql(sql, [...parameters]));
    return rows.length > 0 ? 'enqueued' : 'duplicate';
  }

  write(tenant: TenantId, job: NewJob): Write {
    return statementWrite(newJobStatement(this.#options.schema, tenant, job));
  }

  notify(topic: string): void {
    // All processes hear of it from the database; this one saves the way.
    this.#look(topic);
  }

  consume(topic: string, handler: JobHandler, options: ConsumeOptions = {}): Consumer {
    const { concurrency = 10, leaseMs = 30_000, maxAttempts = 10 } = options;
    const backoffMs = options.backoffMs?.bind(options) ?? defaultBackoffMs;
    const { logger, pollMs } = this.#options;
    const parts = {
      boss: this.#boss,
      table: this.#table,
      logger,
      pollMs,
      stopping: this.#stopping.signal,
      ready: () => this.#ready(topic),
    };
    const consumer = new TopicConsumer(topic, handler, { concurrency, leaseMs, maxAttempts, backoffMs }, parts);
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

  async health(): Promise<Health> {
    const topics = new Set([...this.#consumers].map(({ topic }) => topic));
    for (const topic of topics) {
      if ((await this.dead(topic, 1)).length > 0) return { status: 'warn', detail: `there are dead jobs of ${topic}` };
    }
    if (topics.size === 0) await this.#boss.getDb().executeSql('SELECT 1');
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
    // A handler that ignores its signal is left behind, and its jobs with it: their leases run out.
    await Promise.race([stopped, late]);
    clearTimeout(timer);
    // A connection that broke is closed as well.
    await this.#listening?.close().catch(() => {});
    await this.#boss.stop({ graceful: false });
  }

  #look(topic?: string): void {
    for (const consumer of this.#consumers) if (topic === undefined || consumer.topic === topic) consumer.look();
  }

  /** pg-boss fetches from queues that it knows only. */
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

/** A second, doubled with each attempt up to an hour, a fifth more or less. */
function defaultBackoffMs(attempt: number): number {
  return Math.min(1_000 * 2 ** (attempt - 1), 3_600_000) * (0.8 + 0.4 * Math.random());
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
