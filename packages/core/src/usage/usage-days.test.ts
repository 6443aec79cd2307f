import { silentLogger } from '@patchbay/contracts/base/logger';
import { newId } from '@patchbay/contracts/base/type-id';
import type { UsageDayRow, UsageEntryRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { type UsageSum, usageBetween } from './usage-days.ts';
import { createUsageWriter } from './usage-hours.ts';
import { createUsageLedger } from './usage-ledger.ts';

const tenant = tenantId('a');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const start = Date.UTC(2026, 0, 1);
const at = (days: number, hours = 0): string => new Date(start + days * DAY_MS + hours * HOUR_MS).toISOString();

/** A server that has a call of each of two keys in every second hour of three days, and of the first hours of the fourth. */
async function createParts(clock = createStoppedClock(start + 3 * DAY_MS + 4 * HOUR_MS)) {
  const stored = createMemoryStorage();
  const state = { hoursRead: 0, onHours: async () => {}, isFull: false };
  const storage: Storage = {
    ...stored,
    async list(owner, collection, query) {
      const page = await stored.list(owner, collection, query);
      if (collection === 'usageHours' && query.limit > 1) {
        state.hoursRead += page.rows.length;
        await state.onHours();
      }
      return page;
    },
    async commit(...writes) {
      if (state.isFull) throw new Error('the disk is full');
      return await stored.commit(...writes);
    },
  };
  const ledger = createUsageLedger({ writer: createUsageWriter(stored, clock), logger: silentLogger });
  const record = async (createdAt: string, changes: Partial<UsageEntryRow> = {}): Promise<void> => {
    ledger.record(tenant, { ...entry, id: newId('usage'), createdAt, ...changes });
    await ledger.flush();
  };
  for (let hour = 0; hour < 3 * 24 + 4; hour += 2) {
    await record(at(0, hour));
    await record(at(0, hour), { keyId: 'key_2', outcome: 'failed', costNanoUsd: null });
  }
  state.hoursRead = 0;

  const read = async (dimension: UsageDayRow['dimension'] | undefined, from = at(0), to = at(3, 4)) => {
    state.hoursRead = 0;
    const sums: UsageSum[] = [];
    for await (const sum of usageBetween({ storage, clock, mostValues: 3 }, tenant, { from, to, dimension }))
      sums.push(sum);
    const callsOf = (of: readonly UsageSum[]) => of.reduce((count, { totals }) => count + totals.modelCalls, 0);
    const costs = sums.reduce((sum, { totals }) => sum + (totals.costNanoUsd ?? 0), 0);
    const failures = sums.reduce((sum, { totals }) => sum + totals.failures, 0);
    return { sums, calls: callsOf(sums), costs, failures, hoursRead: state.hoursRead };
  };
  const kept = async () => (await stored.scanAllTenants('usageDays', {}, 1_000)).map(({ row }) => row);
  return { storage: stored, state, clock, ledger, record, read, kept };
}

const entry: Omit<UsageEntryRow, 'id' | 'createdAt'> = {
  revision: 1,
  kind: 'model',
  keyId: 'key_1',
  functionId: '',
  model: 'acme/large',
  outcome: 'completed',
  uncachedInputTokens: 10,
  cacheReadTokens: 1,
  cacheWriteTokens: 2,
  outputTokens: 3,
  reasoningTokens: 1,
  durationMs: 5,
  calls: 1,
  requestId: 'request_1',
  costNanoUsd: 7,
  estimated: false,
};

describe('usage by the day', () => {
  it('equals the sum of its hours, and past days are read in one row from the second time on', async () => {
    const { read } = await createParts();
    const hours = await read(undefined);
    expect(hours).toMatchObject({ calls: 76, costs: 38 * 7, failures: 38 });
    const { calls, costs, failures } = hours;
    for (const dimension of ['kind', 'keyId', 'model', 'outcome', 'functionId'] as const) {
      expect(await read(dimension)).toMatchObject({ calls, costs, failures });
      // The hours of the fourth day, which is not over.
      expect(await read(dimension)).toMatchObject({ calls, costs, failures, hoursRead: 4 });
    }
    const { sums } = await read('keyId');
    expect(sums.slice(0, 2)).toMatchObject([
      {
        at: { keyId: 'key_1', hour: at(0) },
        totals: { modelCalls: 12, costNanoUsd: 84, failures: 0, outputTokens: 36 },
      },
      { at: { keyId: 'key_2', hour: at(0) }, totals: { modelCalls: 12, costNanoUsd: null, unpricedCalls: 12 } },
    ]);
  });

  it('begins and ends at any hour', async () => {
    const { read } = await createParts();
    await read('keyId');
    const within = await read('keyId', at(0, 21), at(2, 3));
    // One hour of the first day, the second day, two hours of the third.
    expect(within.calls).toBe(2 + 24 + 4);
    expect(within.sums[2]).toMatchObject({ at: { hour: at(1) }, totals: { modelCalls: 12 } });
    expect((await read('keyId', at(1), at(1))).sums).toEqual([]);
    expect((await read('keyId', at(5), at(9))).sums).toEqual([]);
    expect((await read('keyId', at(-40), at(-9))).sums).toEqual([]);
  });

  it('keeps no day that has not been over for an hour, and none before the first use', async () => {
    const { read, kept, clock } = await createParts(createStoppedClock(start + 3 * DAY_MS + HOUR_MS - 1));
    await read('kind', at(-30));
    expect((await kept()).map(({ day }) => day)).toEqual([at(0), at(1)]);
    clock.advance(1);
    await read('kind', at(-30));
    expect((await kept()).map(({ day }) => day).toSorted()).toEqual([at(0), at(1), at(2)]);
  });

  it('includes usage that is written after the day was kept', async () => {
    const { read, record, kept } = await createParts();
    await read('keyId');
    await read('model');
    expect(await kept()).toHaveLength(6);
    await record(at(1, 5), { keyId: 'key_3' });
    expect((await kept()).map(({ day }) => day)).not.toContain(at(1));
    expect(await read('keyId')).toMatchObject({ calls: 77 });
    expect(await read('model')).toMatchObject({ calls: 77 });
    expect(await read('keyId')).toMatchObject({ calls: 77, hoursRead: 4 });
  });

  it('keeps no sums that lack usage written while they were computed', async () => {
    const { read, record, state, kept } = await createParts();
    let isLate = true;
    state.onHours = async () => {
      if (isLate) await record(at(0, 1));
      isLate = false;
    };
    expect(await read('keyId')).toMatchObject({ calls: 76 });
    expect((await kept()).map(({ day }) => day)).toEqual([at(1), at(2)]);
    expect(await read('keyId')).toMatchObject({ calls: 77 });
    expect(await read('keyId')).toMatchObject({ calls: 77, hoursRead: 4 });
  });

  it('is kept once or twice by two readers at the same time, and counted once', async () => {
    const { read } = await createParts();
    const both = await Promise.all([read('keyId'), read('keyId')]);
    expect(both.map(({ calls }) => calls)).toEqual([76, 76]);
    expect(await read('keyId')).toMatchObject({ calls: 76, hoursRead: 4 });
  });

  it('is finished by the next reader if one stopped before the sums were written', async () => {
    const { read, storage } = await createParts();
    const row = { id: 'usage_day_1', revision: 1, day: at(1), dimension: 'keyId', sums: null } as const;
    await storage.commit(tenant, [{ insert: 'usageDays', row }]);
    expect(await read('keyId')).toMatchObject({ calls: 76 });
    expect(await storage.get(tenant, 'usageDays', 'usage_day_1')).toMatchObject({ revision: 2 });
    expect(await read('keyId')).toMatchObject({ calls: 76, hoursRead: 4 });
  });

  it('is read by the hour if the storage is read-only, or a day has too many values', async () => {
    const { read, record, state, kept } = await createParts();
    state.isFull = true;
    expect(await read('keyId')).toMatchObject({ calls: 76 });
    expect(await kept()).toEqual([]);
    state.isFull = false;
    for (const keyId of ['key_3', 'key_4']) await record(at(0, 1), { keyId });
    expect(await read('keyId')).toMatchObject({ calls: 78 });
    // The first day, and the fourth, which is not over.
    expect(await read('keyId')).toMatchObject({ calls: 78 });
    expect((await kept()).find(({ day }) => day === at(0))).toMatchObject({ sums: null });
  });
});
