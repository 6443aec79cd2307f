import type { Logger, Queue } from '@patchbay/core/plugin';
import type { Storage } from '@patchbay/core/storage';
import { openPostgres, type TestPostgres } from '@patchbay/postgres-for-tests';
import storePostgres from '@patchbay/store-postgres';
import { Client } from 'pg';
import { PgBossQueue, type PgBossQueueOptions } from '../pgboss-queue.ts';

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Query a database, beside queue and storage. */
export async function ask(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

export function queueOptions(url: string): Omit<PgBossQueueOptions, 'storage'> {
  return {
    url,
    schema: 'pgboss',
    poolSize: 4,
    pollMs: 20,
    keepSeconds: 3_600,
    clock: { now: Date.now, monotonic: () => performance.now() },
    logger: silent,
  };
}

export async function openStorage(url: string): Promise<Storage> {
  const { definition } = storePostgres;
  const config = {
    url,
    poolSize: 5,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
    applicationName: 'patchbay-test',
  };
  const storage = definition.create({
    config: config as never,
    deps: {},
    logger: silent,
    mount: 'storage',
    directory: '.',
  });
  await storage.start?.(new AbortController().signal);
  return storage;
}

/** Databases with everything in them, each used by one test at a time. */
export function queuesForTests() {
  let postgres: Promise<TestPostgres> | undefined;
  const free: string[] = [];
  const fresh = async (): Promise<string> => {
    postgres ??= openPostgres();
    const { url } = await (await postgres).createDatabase();
    const storage = await openStorage(url);
    await storage.migrate();
    await storage.stop?.();
    return url;
  };
  const emptied = `DELETE FROM pgboss.job; DELETE FROM pgboss.queue WHERE name NOT LIKE '\\_\\_%'; DELETE FROM functions; DELETE FROM jobs;
    DELETE FROM counts`;
  return {
    freshDatabase: fresh,
    async create() {
      const url = free.pop() ?? (await fresh());
      const storage = await openStorage(url);
      const queues: Queue[] = [];
      const open = async (more: Partial<PgBossQueueOptions> = {}): Promise<Queue> => {
        const queue = new PgBossQueue({ ...queueOptions(url), storage, ...more });
        queues.push(queue);
        await queue.start();
        return queue;
      };
      const stopAll = async () => {
        for (const queue of queues.splice(0)) await queue.stop?.();
      };
      return {
        url,
        storage,
        queue: await open(),
        another: () => open(),
        open,
        /** Moves all times in the table into the past, which is the same as time that has passed. */
        async advance(ms: number) {
          const columns = ['start_after', 'created_on', 'started_on', 'heartbeat_on', 'completed_on'];
          const earlier = columns.map((column) => `${column} = ${column} - ${ms} * interval '1ms'`);
          // A claim passes over rows that are locked, so it must not meet an update that is half done.
          const exclusive = 'LOCK TABLE pgboss.job IN SHARE ROW EXCLUSIVE MODE';
          await ask(url, `BEGIN; ${exclusive}; UPDATE pgboss.job SET ${earlier.join(', ')}; COMMIT`);
        },
        async reopen() {
          await stopAll();
          return await open();
        },
        async dispose() {
          await stopAll();
          await storage.stop?.();
          await ask(url, emptied);
          free.push(url);
        },
      };
    },
    async stop() {
      await (await postgres)?.stop();
    },
  };
}
