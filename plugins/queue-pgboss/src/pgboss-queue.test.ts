import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Job, type Queue, tenantId } from '@patchbay/core/plugin';
import { createMemoryStorage, createStorageQueue } from '@patchbay/core/storage';
import { missingPostgres, startPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PgBossQueue } from './pgboss-queue.ts';
import { ask, openStorage, queueOptions, queuesForTests, silent } from './test-support/queue-under-test.ts';

const acme = tenantId('acme');
const missing = missingPostgres();
const queues = queuesForTests();
afterAll(() => queues.stop());

/** The next job of a topic, and everything before it. */
function take(queue: Queue, topic = 'mail', leaseMs = 30_000): Promise<Job> {
  return new Promise((resolve) => {
    queue.consume(
      topic,
      async (job) => {
        resolve(job);
        return undefined;
      },
      { leaseMs },
    );
  });
}

describe.skipIf(missing !== undefined)('the queue on pg-boss', () => {
  let subject: Awaited<ReturnType<typeof queues.create>>;
  beforeEach(async () => {
    subject = await queues.create();
  });
  afterEach(() => subject.dispose());

  it('wakes consumers of other processes at once, in whatever way a job was enqueued', async () => {
    // Polling would find nothing within the time of this test.
    const other = await subject.open({ pollMs: 60_000 });
    const { queue, storage, url } = subject;
    const ways: Readonly<Record<string, () => Promise<unknown>>> = {
      mail: () => queue.enqueue(acme, { topic: 'mail', payload: 1 }),
      print: () => storage.commit(acme, [queue.write(acme, { topic: 'print', payload: 2 })]),
    };
    for (const [topic, enqueue] of Object.entries(ways)) {
      const taken = take(other, topic);
      // By then the consumer looks, or has looked, and finds nothing.
      const known = () => ask(url, `SELECT FROM pgboss.queue WHERE name = '${topic}'`);
      await expect.poll(known).toHaveLength(1);
      await enqueue();
      expect((await taken).topic).toBe(topic);
    }
  });

  it('delivers payloads as they were, with any characters and their keys in order', async () => {
    const payload = { z: 'a\0b\x01"\\\ud800 😀', a: [1.5, null, 1e21], '': {} };
    const job = subject.queue.write(acme, { topic: 'mail', payload, dedupeKey: 'k\0\ud800' });
    expect(await subject.storage.commit(acme, [job])).toEqual({ done: true });
    expect(JSON.stringify((await take(subject.queue)).payload)).toBe(JSON.stringify(payload));
  });

  it('delivers the job of a process that was killed to another one', async () => {
    const script = new URL('./test-support/consuming-process.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, ['--conditions=source', script, subject.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = once(createInterface({ input: child.stdout }), 'line');
    await subject.queue.enqueue(acme, { topic: 'mail', payload: 'x', dedupeKey: 'one' });
    expect(await line).toEqual(['attempt 1']);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    expect(await subject.queue.enqueue(acme, { topic: 'mail', payload: 'x', dedupeKey: 'one' })).toBe('duplicate');
    expect(await take(subject.queue)).toMatchObject({ payload: 'x', attempt: 2 });
  });

  it('sets aside jobs that another program has put into its tables, and goes on', async () => {
    const warned: string[] = [];
    const logger = { ...silent, error: (message: string) => void warned.push(message) };
    const queue = await subject.open({ logger });
    await queue.enqueue(acme, { topic: 'mail', payload: 'ours', delayMs: 3_600_000 });
    const foreign = (id: number, data: string) =>
      ask(
        subject.url,
        `INSERT INTO pgboss.job (id, name, data, policy, singleton_key, start_after)
         VALUES ('00000000-0000-4000-8000-00000000000${id}', 'mail', '${data}', 'exclusive', '${id}', now() - interval '1h')`,
      );
    await foreign(1, '{}');
    await foreign(2, '{"tenant": "acme", "payload": "{"}');
    await foreign(3, '{"tenant": 7, "payload": "1"}');
    await queue.enqueue(acme, { topic: 'mail', payload: 'ours too' });
    expect(await take(queue)).toMatchObject({ payload: 'ours too' });
    const cancelled = () => ask(subject.url, "SELECT id FROM pgboss.job WHERE state = 'cancelled'");
    await expect.poll(cancelled).toHaveLength(3);
    expect(warned).toEqual(Array(3).fill('a job was moved aside: it was not enqueued by this queue'));
    expect(await queue.health?.()).toEqual({ status: 'pass' });
  });

  it('renews the lease of a job while its handler runs', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const jobs: Job[] = [];
    const other = await subject.another();
    for (const queue of [subject.queue, other]) {
      queue.consume(
        'mail',
        async (job) => {
          jobs.push(job);
          await held;
          return undefined;
        },
        { leaseMs: 1_000 },
      );
    }
    await subject.queue.enqueue(acme, { topic: 'mail', payload: 1 });
    const beats = async () =>
      String(
        (await ask(subject.url, "SELECT heartbeat_on - started_on > interval '1s' AS late FROM pgboss.job"))[0]?.[
          'late'
        ],
      );
    await expect.poll(beats).toBe('true');
    expect(jobs).toHaveLength(1);
    expect(jobs[0]?.signal.aborted).toBe(false);
    release();
    const states = async () => (await ask(subject.url, 'SELECT state FROM pgboss.job')).map(({ state }) => state);
    await expect.poll(states).toEqual(['completed']);
  });

  it('imports the jobs of the built-in queue once', async () => {
    const { storage } = subject;
    const before = createStorageQueue({ storage });
    await before.enqueue(acme, { topic: 'mail', payload: 'plain' });
    await before.enqueue(acme, { topic: 'mail', payload: 'late', delayMs: 3_600_000 });
    await before.enqueue(acme, { topic: 'mail', payload: 'keyed', dedupeKey: 'k' });
    await before.enqueue(acme, { topic: 'mail', payload: 'twice', dedupeKey: 'here' });
    await subject.queue.enqueue(acme, { topic: 'mail', payload: 'here', dedupeKey: 'here' });
    const [one] = await Promise.all([subject.another(), subject.another()]);
    expect(await storage.scanAllTenants('jobs', {}, 9)).toEqual([]);
    // The leases of jobs that are not quite done run out as well when an hour passes: these come twice then.
    const payloads = new Set<unknown>();
    one.consume('mail', async ({ payload }) => {
      payloads.add(payload);
      return undefined;
    });
    await expect.poll(() => payloads).toEqual(new Set(['here', 'keyed', 'plain']));
    await subject.advance(3_601_000);
    await expect.poll(() => payloads).toEqual(new Set(['here', 'keyed', 'late', 'plain']));
  });

  it('reports dead jobs in its health', async () => {
    expect(await subject.queue.health?.()).toEqual({ status: 'pass' });
    subject.queue.consume('mail', () => Promise.reject(new Error('no')), { maxAttempts: 1 });
    await subject.queue.enqueue(acme, { topic: 'mail', payload: 1 });
    const dead = { status: 'warn', detail: 'there are dead jobs of mail' };
    await expect.poll(async () => await subject.queue.health?.()).toEqual(dead);
  });

  it('the queue on pg-boss is refused beside a storage that is not in its database', async () => {
    const start = (storage: ConstructorParameters<typeof PgBossQueue>[0]['storage']) =>
      new PgBossQueue({ ...queueOptions(subject.url), storage }).start();
    const connections = async () =>
      (await ask(subject.url, "SELECT FROM pg_stat_activity WHERE application_name = 'patchbay-queue'")).length;
    const before = await connections();
    await expect(start(createMemoryStorage())).rejects.toThrow('it needs @patchbay/store-postgres');
    const elsewhere = await openStorage(await queues.freshDatabase());
    await expect(start(elsewhere)).rejects.toThrow('its url leads to another one');
    await elsewhere.stop?.();
    // A queue that did not start holds nothing open.
    await expect.poll(connections).toBeLessThanOrEqual(before);
  });
});

describe.skipIf(missing !== undefined || process.env['PATCHBAY_TEST_POSTGRES_URL'] !== undefined)(
  'a PostgreSQL that dies under the queue',
  () => {
    it('loses no job that was acknowledged, and is used again once it is back', async () => {
      const own = await startPostgres({ settings: { fsync: 'on' } });
      const storage = await openStorage(own.url);
      await storage.migrate();
      const queue = new PgBossQueue({ ...queueOptions(own.url), storage });
      await queue.start();
      expect(await queue.enqueue(acme, { topic: 'mail', payload: 'before' })).toBe('enqueued');
      await own.crash();
      const refused = queue.enqueue(acme, { topic: 'mail', payload: 'late' });
      await expect(refused).rejects.toMatchObject({ code: 'storage_unavailable' });
      const payloads: string[] = [];
      queue.consume('mail', async ({ payload }) => {
        payloads.push(JSON.stringify(payload));
        return undefined;
      });
      await own.restart();
      await expect.poll(() => payloads).toEqual(['"before"']);
      expect(await queue.enqueue(acme, { topic: 'mail', payload: 'after' })).toBe('enqueued');
      await expect.poll(() => payloads).toEqual(['"before"', '"after"']);
      await queue.stop();
      await storage.stop?.();
      await own.stop();
    });
  },
);
