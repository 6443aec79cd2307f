import { systemClock } from '@patchbay/contracts/base/clock';
import type { Job, Queue } from '@patchbay/contracts/queue';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStorageQueue } from './storage-queue.ts';

// The conformance suite tests what all queues have in common. These tests are about the leases of this one, in real time.

const acme = tenantId('acme');
const queues: Queue[] = [];

function open(storage: Storage): Queue {
  const queue = createStorageQueue({ storage, pollMs: 10 });
  queues.push(queue);
  return queue;
}

afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.stop?.();
});

/** A consumer that holds its first job until it is released or loses it. */
function hold(queue: Queue, leaseMs: number) {
  const got = Promise.withResolvers<Job>();
  const release = Promise.withResolvers<undefined>();
  queue.consume(
    'mail',
    async (job) => {
      got.resolve(job);
      return await release.promise;
    },
    { leaseMs, concurrency: 1 },
  );
  return { got: got.promise, release: () => release.resolve(undefined) };
}

const dueAt = async (storage: Storage) => (await storage.scanAllTenants('jobs', {}, 1))[0]?.row.dueAt ?? '';

describe('a lease', () => {
  it('stays renewed while the handler runs', async () => {
    const storage = createMemoryStorage();
    const queue = open(storage);
    await queue.enqueue(acme, { topic: 'mail', payload: 1 });
    const { got, release } = hold(queue, 300);
    const job = await got;
    const seen = new Set<string>();
    await vi.waitFor(async () => {
      seen.add(await dueAt(storage));
      expect(seen.size).toBeGreaterThan(3);
    }, 10_000);
    expect(job.signal.aborted).toBe(false);
    release();
    await expect.poll(async () => await storage.scanAllTenants('jobs', {}, 1)).toEqual([]);
  });

  it('that another consumer took is lost: the signal of the handler aborts, and its end changes nothing', async () => {
    const storage = createMemoryStorage();
    const queue = open(storage);
    await queue.enqueue(acme, { topic: 'mail', payload: 1 });
    const { got, release } = hold(queue, 60);
    const job = await got;
    const taken = async () => {
      const row = await storage.get(acme, 'jobs', job.id);
      const set = { dueAt: '2100-01-01T00:00:00.000Z', attempt: 7 };
      return await storage.commit(acme, [
        { update: 'jobs', id: job.id, set, ...(row && { ifRevision: row.revision }) },
      ]);
    };
    await expect.poll(taken).toEqual({ done: true });
    await expect.poll(() => job.signal.aborted).toBe(true);
    release();
    await queue.stop?.();
    expect(await storage.get(acme, 'jobs', job.id)).toMatchObject({ attempt: 7, dueAt: '2100-01-01T00:00:00.000Z' });
  });

  it('that cannot be renewed is lost once it has expired, and not before', async () => {
    const memory = createMemoryStorage();
    let down = false;
    let refused = 0;
    const commit: Storage['commit'] = async (...given) => {
      if (!down) return await memory.commit(...given);
      refused += 1;
      throw new Error('the storage is down');
    };
    let passed = 0;
    const clock = { ...systemClock, monotonic: () => passed };
    const queue = createStorageQueue({ storage: { ...memory, commit }, clock, pollMs: 10 });
    queues.push(queue);
    await queue.enqueue(acme, { topic: 'mail', payload: 1 });
    const { got, release } = hold(queue, 90);
    const job = await got;
    down = true;
    passed = 89;
    await expect.poll(() => refused).toBeGreaterThan(1);
    expect(job.signal.aborted).toBe(false);
    passed = 90;
    await expect.poll(() => job.signal.aborted).toBe(true);
    down = false;
    release();
    await queue.stop?.();
    expect(await memory.get(acme, 'jobs', job.id)).toBeDefined();
  });

  it.each([
    ['a renewal', 'renewed'],
    ['the end of its job', 'done'],
  ])('outlives a renewal that was written although it failed: %s is written', async (_, next) => {
    const memory = createMemoryStorage();
    let lostAnswers = 0;
    let renewals = 0;
    let claims = 0;
    const commit: Storage['commit'] = async (tenant, writes) => {
      const result = await memory.commit(tenant, writes);
      const [write] = writes;
      if (write === undefined || !('update' in write)) return result;
      if ('attempt' in write.set) {
        claims += 1;
        return result;
      }
      if (result.done) renewals += 1;
      if (lostAnswers-- > 0) throw new Error('the connection broke after the commit');
      return result;
    };
    const queue = open({ ...memory, commit });
    await queue.enqueue(acme, { topic: 'mail', payload: 1 });
    const { got, release } = hold(queue, 3_000);
    const job = await got;
    lostAnswers = 1;
    await expect.poll(() => renewals).toBe(next === 'renewed' ? 3 : 1);
    expect(job.signal.aborted).toBe(false);
    release();
    await expect.poll(async () => await memory.scanAllTenants('jobs', {}, 1)).toEqual([]);
    expect(claims).toBe(1);
  });

  it('outlives a storage that is down for a moment when the job is done', async () => {
    const memory = createMemoryStorage();
    let failures = 0;
    const commit: Storage['commit'] = async (tenant, writes) => {
      if (failures-- > 0) throw new Error('the storage is down');
      return await memory.commit(tenant, writes);
    };
    const queue = open({ ...memory, commit });
    await queue.enqueue(acme, { topic: 'mail', payload: 1 });
    const { got, release } = hold(queue, 30_000);
    await got;
    failures = 2;
    release();
    await expect.poll(async () => await memory.scanAllTenants('jobs', {}, 1)).toEqual([]);
  });
});

describe('a queue over a storage', () => {
  it('consumers continue once a storage that was down is back', async () => {
    const memory = createMemoryStorage();
    let down = true;
    let asked = 0;
    const scanAllTenants: Storage['scanAllTenants'] = async (...given) => {
      asked += 1;
      if (down) throw new Error('the storage is down');
      return await memory.scanAllTenants(...given);
    };
    const queue = open({ ...memory, scanAllTenants });
    await queue.enqueue(acme, { topic: 'mail', payload: 1 });
    const { got, release } = hold(queue, 30_000);
    await expect.poll(() => asked).toBeGreaterThan(2);
    down = false;
    expect((await got).payload).toBe(1);
    release();
  });

  it('a job without a delay is delivered at once, even after the clock was set back by an hour', async () => {
    const storage = createMemoryStorage();
    const ahead = { ...systemClock, now: () => Date.now() + 3_600_000 };
    const before = createStorageQueue({ storage, clock: ahead });
    queues.push(before);
    await before.enqueue(acme, { topic: 'mail', payload: 'later', delayMs: 1_000 });
    await before.enqueue(acme, { topic: 'mail', payload: 'now' });
    const { got, release } = hold(open(storage), 30_000);
    expect((await got).payload).toBe('now');
    release();
    await expect
      .poll(async () => await storage.scanAllTenants('jobs', {}, 9))
      .toMatchObject([{ row: { payload: 'later' } }]);
  });

  it('dead jobs show in its health', async () => {
    const queue = open(createMemoryStorage());
    queue.consume('mail', () => Promise.reject(new Error('no')), { maxAttempts: 1 });
    expect(await queue.health?.()).toEqual({ status: 'pass' });
    await queue.enqueue(acme, { topic: 'mail', payload: 1 });
    await expect
      .poll(async () => await queue.health?.())
      .toEqual({
        status: 'warn',
        detail: 'there are dead jobs of mail',
      });
  });

  it('waits longer after each failure, up to an hour, with jitter', async () => {
    const waits: number[] = [];
    for (const random of [0, 1]) {
      const storage = createMemoryStorage();
      const queue = createStorageQueue({ storage, pollMs: 10, random: () => random });
      queues.push(queue);
      queue.consume('mail', () => Promise.reject(new Error('no')));
      const before = Date.now();
      await queue.enqueue(acme, { topic: 'mail', payload: 1 });
      const failed = async () => (await storage.scanAllTenants('jobs', {}, 1))[0]?.row;
      await expect.poll(async () => (await failed())?.error).toEqual({ message: 'no' });
      waits.push(Date.parse((await failed())?.dueAt ?? '') - before);
    }
    expect(waits[0]).toBeGreaterThanOrEqual(800);
    expect(waits[1]).toBeGreaterThanOrEqual(1_200);
  });
});
