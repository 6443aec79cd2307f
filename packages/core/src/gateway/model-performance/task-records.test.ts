import { silentLogger } from '@patchbay/contracts/base/logger';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../built-in/memory-storage.ts';
import { createStoppedClock, type StoppedClock } from '../../functions/fixtures/function-parts.ts';
import { fitCounts } from './fit-counts.ts';
import { scoreCounts } from './score-counts.ts';
import { createTaskRecords, sweepTaskRecords } from './task-records.ts';

const MINUTE_MS = 60_000;
const rate = { tenant: tenantId('acme'), functionName: 'Rate It' };

/** Processes on one storage. */
function processes(count: number, { storage = createMemoryStorage(), clock = createStoppedClock() } = {}) {
  const rejected: string[] = [];
  const onRejected = () => void rejected.push('task');
  const start = () => createTaskRecords({ storage, clock, logger: silentLogger, onRejected });
  return { storage, clock, rejected, start, all: Array.from({ length: count }, start) };
}

const scored = (score: number, clock: StoppedClock, settingsVersion = 0) => ({
  model: 'a/one',
  settingsVersion,
  fit: null,
  scores: scoreCounts(score, clock.now()),
});

const fitted = (clock: StoppedClock) => ({
  model: 'a/one',
  settingsVersion: 0,
  fit: fitCounts('fitted', clock.now()),
  scores: null,
});

type Records = ReturnType<typeof createTaskRecords>;

const scoresIn = async (records: Records, task = rate, version = 0) =>
  (await records.find(task, version))('a/one').scores;

/** A storage whose methods fail while `error` is set. */
function unreliable() {
  const inner = createMemoryStorage();
  const state: { error: Error | undefined } = { error: undefined };
  const check = () => {
    if (state.error) throw state.error;
  };
  const storage: Storage = {
    ...inner,
    async list(...query) {
      check();
      return await inner.list(...query);
    },
    async commit(...writes) {
      check();
      return await inner.commit(...writes);
    },
  };
  return { state, storage };
}

describe('task records', () => {
  it('counts are those of a function and tenant, however the function is named', async () => {
    const { clock, all } = processes(1);
    const [records] = all as [Records];
    records.add(rate, scored(1, clock));
    records.add({ ...rate, functionName: 'rateIt' }, scored(0.5, clock));
    expect(await scoresIn(records)).toMatchObject({ count: 2, sum: 1.5, given: 2 });
    expect(await scoresIn(records, { ...rate, functionName: 'other' })).toBeUndefined();
    expect(await scoresIn(records, { ...rate, tenant: tenantId('other') })).toBeUndefined();
    expect((await records.find(rate, 0))('b/two')).toEqual({});
  });

  it('the counts of all processes are added up, and each of them reads the sum', async () => {
    const { clock, all } = processes(3);
    for (let round = 0; round < 5; round += 1) {
      for (const records of all) {
        records.add(rate, scored(1, clock));
        records.add(rate, fitted(clock));
      }
      await Promise.all(all.map((records) => records.flush()));
    }
    // Each reads with what it writes, so the last one of a round knows everything.
    clock.advance(MINUTE_MS);
    for (const records of all) {
      await records.find(rate, 0);
      await records.flush();
    }
    for (const records of all) {
      const { scores, fit } = (await records.find(rate, 0))('a/one');
      expect([scores?.given, Math.round(fit?.asked ?? 0)]).toEqual([15, 15]);
    }
  });

  it('a process that starts reads what others wrote before its first decision', async () => {
    const { clock, all, start } = processes(1);
    all[0]?.add(rate, scored(1, clock));
    await all[0]?.stop();
    expect(await scoresIn(start())).toMatchObject({ count: 1 });
  });

  it('an abrupt end loses what was not yet written, and nothing more', async () => {
    const { clock, all, start } = processes(1);
    const [records] = all as [Records];
    records.add(rate, scored(1, clock));
    await records.flush();
    records.add(rate, scored(1, clock));
    expect(await scoresIn(records)).toMatchObject({ given: 2 });
    expect(await scoresIn(start())).toMatchObject({ given: 1 });
  });

  it('counts of a settings version come with those of the last earlier version that has any', async () => {
    const { clock, all } = processes(1);
    const [records] = all as [Records];
    records.add(rate, scored(1, clock, 0));
    records.add(rate, scored(0, clock, 2));
    const record = (await records.find(rate, 4))('a/one');
    expect(record).toMatchObject({ earlierScores: { given: 1, sum: 0 } });
    expect(record.scores).toBeUndefined();
    expect((await records.find(rate, 2))('a/one')).toMatchObject({ scores: { sum: 0 }, earlierScores: { sum: 1 } });
    expect((await records.find(rate, 0))('a/one').earlierScores).toBeUndefined();
  });

  it('a storage that fails costs no request anything, and counts are written once it works again', async () => {
    const { state, storage } = unreliable();
    state.error = new PatchbayError('storage_unavailable', 'the database is down');
    const { clock, all, start } = processes(1, { storage });
    const [records] = all as [Records];
    expect(await scoresIn(records)).toBeUndefined();
    records.add(rate, scored(1, clock));
    await expect(records.flush()).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(records.flush()).rejects.toMatchObject({ code: 'storage_unavailable' });
    await records.stop();
    expect(await scoresIn(records)).toMatchObject({ given: 1 });
    state.error = undefined;
    await records.flush();
    expect(await scoresIn(start())).toMatchObject({ given: 1 });
  });

  it('a storage that does not respond delays the first request of a function for a moment', async () => {
    const storage: Storage = { ...createMemoryStorage(), list: () => new Promise(() => {}) };
    const { all } = processes(1, { storage });
    expect(await scoresIn(all[0] as Records)).toBeUndefined();
    expect(all[0]?.find(rate, 0)).not.toBeInstanceOf(Promise);
  });

  it('counts that the storage rejects are dropped and reported, and do not stop others', async () => {
    const { state, storage } = unreliable();
    const { clock, all, rejected } = processes(1, { storage });
    const [records] = all as [Records];
    records.add(rate, scored(1, clock));
    state.error = new TypeError('the field task must be of type string');
    await records.flush();
    expect(rejected).toEqual(['task']);
    state.error = undefined;
    await records.flush();
    expect((await storage.scanAllTenants('taskRecords', {}, 10)).length).toBe(0);
  });

  it('what others add to a task without counts of this process is read again after half a minute', async () => {
    const { clock, all } = processes(2);
    const [one, other] = all as [Records, Records];
    expect(await scoresIn(one)).toBeUndefined();
    other.add(rate, scored(1, clock));
    await other.flush();
    clock.advance(MINUTE_MS);
    // Reading begins, and this request does not wait for it.
    expect(await scoresIn(one)).toBeUndefined();
    await expect.poll(async () => (await scoresIn(one))?.given).toBe(1);
  });

  it('the thousand most recently called functions are kept in memory, and others are read again', async () => {
    const { clock, all, storage } = processes(1);
    const [records] = all as [Records];
    const task = (number: number) => ({ ...rate, functionName: `task${number}` });
    for (let number = 0; number <= 1_000; number += 1) records.add(task(number), scored(1, clock));
    await records.flush();
    const { total } = await storage.list(rate.tenant, 'taskRecords', { sort: 'updatedAt', order: 'asc', limit: 1 });
    expect(total).toBe(1_001);
    expect(await scoresIn(records, task(0))).toMatchObject({ given: 1 });
    expect(await scoresIn(records, task(1_000))).toMatchObject({ given: 1 });
  });

  it('records are deleted once hardly anything is left of them', async () => {
    const { clock, all, storage } = processes(1);
    all[0]?.add(rate, scored(1, clock));
    await all[0]?.flush();
    clock.advance(89 * 24 * 60 * MINUTE_MS);
    expect(await sweepTaskRecords(storage, clock)).toBe(0);
    clock.advance(2 * 24 * 60 * MINUTE_MS);
    expect(await sweepTaskRecords(storage, clock)).toBe(1);
  });
});
