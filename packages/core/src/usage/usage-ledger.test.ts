import { silentLogger } from '@patchbay/contracts/base/logger';
import { newId } from '@patchbay/contracts/base/type-id';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { CallRecordRow, UsageEntryRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import { type TenantId, tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { createUsageWriter } from './usage-hours.ts';
import { createUsageLedger, sweepUsage } from './usage-ledger.ts';

const tenant = tenantId('a');
const logger = silentLogger;
const clock = createStoppedClock(Date.UTC(2026, 0, 2, 3, 5));

function entry(changes: Partial<UsageEntryRow> = {}): UsageEntryRow {
  return {
    id: newId('usage'),
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
    createdAt: '2026-01-02T03:04:05.678Z',
    ...changes,
  };
}

function call(): CallRecordRow {
  return {
    id: newId('chat'),
    revision: 1,
    functionId: '',
    name: '',
    settingsVersion: null,
    model: 'acme/large',
    outcome: 'completed',
    errorCode: null,
    decision: { by: 'caller' },
    attempts: [],
    costNanoUsd: 7,
    promptTokens: 13,
    completionTokens: 3,
    durationMs: 5,
    parentId: null,
    queuedMs: null,
    firstOutputMs: 5,
    steps: null,
    executionId: '',
    keyId: 'key_1',
    requestId: 'request_1',
    createdAt: '2026-01-02T03:04:05.678Z',
  };
}

const hoursOf = async (storage: Storage) =>
  (await storage.scanAllTenants('usageHours', {}, 1_000)).map(({ row }) => row);
const callsOf = async (storage: Storage) => (await hoursOf(storage)).reduce((sum, { calls }) => sum + calls, 0);
const entriesOf = async (storage: Storage) =>
  (await storage.scanAllTenants('usageEntries', {}, 100_000)).reduce((sum, { row }) => sum + (row.calls ?? 1), 0);

/** A storage whose commits can fail, before or after they are done. */
function flakyStorage() {
  const storage = createMemoryStorage();
  const state = { mode: 'up' as 'up' | 'before' | 'after', commits: 0 };
  const flaky: Storage = {
    ...storage,
    async commit(owner, writes) {
      state.commits += 1;
      const failure = new PatchbayError('storage_unavailable', 'the disk is gone');
      if (state.mode === 'before') throw failure;
      const result = await storage.commit(owner, writes);
      if (state.mode === 'after') throw failure;
      return result;
    },
  };
  return { flaky, storage, state };
}

describe('the usage ledger', () => {
  it('entries that the storage rejects are left out, and hold up no others', async () => {
    const storage = createMemoryStorage();
    const lines: string[] = [];
    const picky: Storage = {
      ...storage,
      async commit(owner, writes) {
        if (JSON.stringify(writes).includes('poison')) throw new TypeError('a value does not fit its field');
        return await storage.commit(owner, writes);
      },
    };
    let rejected = 0;
    const ledger = createUsageLedger({
      writer: createUsageWriter(picky, clock),
      logger: { ...logger, error: (message) => void lines.push(message) },
      onRejected: () => {
        rejected += 1;
      },
    });
    for (let index = 0; index < 300; index += 1) {
      ledger.record(tenant, entry({ model: index % 100 === 7 ? `poison/${index}` : `acme/${index}` }));
    }
    ledger.record(tenantId('b'), entry());
    await ledger.flush();
    expect([await entriesOf(storage), await callsOf(storage), rejected]).toEqual([298, 298, 3]);
    expect(lines).toEqual(Array.from({ length: 3 }, () => 'usage was dropped: the storage rejects it'));
    await ledger.stop();
  });

  it('entries that were split are retried unchanged if the storage goes down in between', async () => {
    const storage = createMemoryStorage();
    let commits = 0;
    const picky: Storage = {
      ...storage,
      async commit(owner, writes) {
        commits += 1;
        if (JSON.stringify(writes).includes('poison')) throw new TypeError('a value does not fit its field');
        const result = await storage.commit(owner, writes);
        // Committed, and not acknowledged.
        if (commits % 2 === 0) throw new PatchbayError('storage_unavailable', 'the connection broke');
        return result;
      },
    };
    const ledger = createUsageLedger({ writer: createUsageWriter(picky, clock), logger });
    for (let index = 0; index < 100; index += 1) {
      ledger.record(tenant, entry({ model: index === 42 ? 'poison' : `acme/${index}` }));
    }
    for (let flush = 0; flush < 20; flush += 1) await ledger.flush();
    expect([await entriesOf(storage), await callsOf(storage)]).toEqual([99, 99]);
    await ledger.stop();
  });

  it('writes every entry once, and sums that agree with them', async () => {
    const storage = createMemoryStorage();
    const ledger = createUsageLedger({ writer: createUsageWriter(storage, clock), logger });
    for (let index = 0; index < 1_000; index += 1) ledger.record(tenant, entry({ model: `acme/${index % 3}` }));
    ledger.record(tenant, entry({ costNanoUsd: null }));
    ledger.record(tenantId('b'), entry());
    await ledger.flush();
    expect(await entriesOf(storage)).toBe(1_002);
    const rows = await hoursOf(storage);
    expect(rows).toHaveLength(5);
    expect(rows.find(({ model }) => model === 'acme/0')).toMatchObject({
      hour: '2026-01-02T03:00:00.000Z',
      calls: 334,
      uncachedInputTokens: 3_340,
      outputTokens: 1_002,
      costNanoUsd: 2_338,
      unpricedCalls: 0,
    });
    expect(rows.find(({ unpricedCalls }) => unpricedCalls === 1)).toMatchObject({ calls: 1, costNanoUsd: 0 });
  });

  it('writes calls of the same dimensions as one entry, apart from estimates and unknown prices', async () => {
    const storage = createMemoryStorage();
    const ledger = createUsageLedger({ writer: createUsageWriter(storage, clock), logger, delayMs: 60_000 });
    for (let index = 0; index < 20; index += 1) ledger.record(tenant, entry({ requestId: `request_${index}` }));
    ledger.record(tenant, entry({ estimated: true }));
    ledger.record(tenant, entry({ costNanoUsd: null }));
    ledger.record(tenant, entry({ costNanoUsd: null }));
    ledger.record(tenant, entry({ createdAt: '2026-01-02T04:00:00.000Z' }));
    await ledger.flush();
    const rows = (await storage.scanAllTenants('usageEntries', {}, 100)).map(({ row }) => row);
    expect(rows.map(({ calls, outputTokens, costNanoUsd }) => [calls, outputTokens, costNanoUsd])).toEqual([
      [20, 60, 140],
      [1, 3, 7],
      [2, 6, null],
      [1, 3, 7],
    ]);
    expect(rows[0]).toMatchObject({ requestId: 'request_0', durationMs: 100 });
    expect((await hoursOf(storage)).map(({ calls }) => calls)).toEqual([23, 1]);
    await ledger.stop();
  });

  it('writes on its own, soon, and many at once', async () => {
    const { flaky, storage, state } = flakyStorage();
    const stored = Promise.withResolvers<UsageEntryRow>();
    const onStored = (_: TenantId, row: UsageEntryRow) => stored.resolve(row);
    const ledger = createUsageLedger({ writer: createUsageWriter(flaky, clock), logger, onStored, delayMs: 10 });
    const ids = Array.from({ length: 100 }, () => ledger.record(tenant, entry()));
    expect(await stored.promise).toMatchObject({ id: ids[0], calls: 100 });
    expect([new Set(ids).size, await callsOf(storage), state.commits]).toEqual([1, 100, 1]);
    expect(ledger.record(tenant, entry())).not.toBe(ids[0]);
    await ledger.stop();
  });

  it('what is recorded during a commit is written at the next flush, and not at once', async () => {
    const storage = createMemoryStorage();
    const sizes: number[] = [];
    const busy: Storage = {
      ...storage,
      async commit(owner, writes) {
        sizes.push(writes.filter((write) => 'insert' in write && write.insert === 'callRecords').length);
        if (sizes.length < 3) for (let index = 0; index < 20; index += 1) record();
        return await storage.commit(owner, writes);
      },
    };
    const ledger = createUsageLedger({ writer: createUsageWriter(busy, clock), logger, delayMs: 60_000 });
    const record = () => ledger.recordCall(tenant, call());
    record();
    await ledger.flush();
    expect(sizes).toEqual([1]);
    await ledger.flush();
    expect(sizes).toEqual([1, 20]);
    await ledger.stop();
    expect(sizes).toEqual([1, 20, 20]);
  });

  it('writes a full commit without waiting for more, and the other rows later', async () => {
    const storage = createMemoryStorage();
    const written = Promise.withResolvers<number>();
    const watched: Storage = {
      ...storage,
      async commit(owner, writes) {
        const result = await storage.commit(owner, writes);
        written.resolve(writes.filter((write) => 'insert' in write && write.insert === 'callRecords').length);
        return result;
      },
    };
    const ledger = createUsageLedger({ writer: createUsageWriter(watched, clock), logger, delayMs: 60_000 });
    ledger.recordCall(tenantId('b'), call());
    for (let index = 0; index < 260; index += 1) ledger.recordCall(tenant, call());
    expect(await written.promise).toBe(250);
    expect(await storage.scanAllTenants('callRecords', {}, 1_000)).toHaveLength(250);
    await ledger.stop();
    expect(await storage.scanAllTenants('callRecords', {}, 1_000)).toHaveLength(261);
  });

  it('writes at a stop what is recorded in the meantime as well', async () => {
    const storage = createMemoryStorage();
    let isFirst = true;
    const busy: Storage = {
      ...storage,
      async commit(owner, writes) {
        if (isFirst) ledger.record(tenant, entry());
        isFirst = false;
        return await storage.commit(owner, writes);
      },
    };
    const ledger = createUsageLedger({ writer: createUsageWriter(busy, clock), logger, delayMs: 60_000 });
    ledger.record(tenant, entry());
    await ledger.stop();
    expect(await entriesOf(storage)).toBe(2);
  });

  it('loses nothing that was recorded before a stop', async () => {
    const storage = createMemoryStorage();
    const ledger = createUsageLedger({ writer: createUsageWriter(storage, clock), logger, delayMs: 60_000 });
    for (let index = 0; index < 700; index += 1) ledger.record(tenant, entry());
    await ledger.stop();
    expect([await entriesOf(storage), await callsOf(storage)]).toEqual([700, 700]);
  });

  it.each(['before', 'after'] as const)(
    'counts entries whose commit failed %s it was done once, along with later ones',
    async (mode) => {
      const { flaky, storage, state } = flakyStorage();
      const ledger = createUsageLedger({ writer: createUsageWriter(flaky, clock), logger, delayMs: 60_000 });
      for (let index = 0; index < 100; index += 1) ledger.record(tenant, entry());
      state.mode = mode;
      await ledger.flush();
      for (let index = 0; index < 50; index += 1) ledger.record(tenant, entry());
      await ledger.flush();
      state.mode = 'up';
      await ledger.flush();
      expect([await entriesOf(storage), await callsOf(storage)]).toEqual([150, 150]);
      await ledger.stop();
    },
  );

  it('adds to sums that other processes add to', async () => {
    const storage = createMemoryStorage();
    const ledgers = Array.from({ length: 3 }, () =>
      createUsageLedger({ writer: createUsageWriter(storage, clock), logger, delayMs: 60_000 }),
    );
    for (let round = 0; round < 5; round += 1) {
      for (const ledger of ledgers) for (let index = 0; index < 20; index += 1) ledger.record(tenant, entry());
      await Promise.all(ledgers.map((ledger) => ledger.flush()));
    }
    expect([await entriesOf(storage), await callsOf(storage), (await hoursOf(storage)).length]).toEqual([300, 300, 1]);
    for (const ledger of ledgers) await ledger.stop();
  });

  it('makes calls wait, and then refuses them, while it can keep no more', async () => {
    const { flaky, state } = flakyStorage();
    const ledger = createUsageLedger({
      writer: createUsageWriter(flaky, clock),
      logger,
      capacity: 10,
      delayMs: 60_000,
    });
    for (let index = 0; index < 9; index += 1) ledger.recordCall(tenant, call());
    await ledger.room();
    ledger.recordCall(tenant, call());
    await ledger.room();
    state.mode = 'before';
    for (let index = 0; index < 10; index += 1) ledger.recordCall(tenant, call());
    await expect(ledger.room()).rejects.toMatchObject({ code: 'storage_unavailable', retryAfter: 1 });
    state.mode = 'up';
    await ledger.flush();
    await ledger.room();
    await ledger.stop();
  });

  it('deletes entries that are old enough, and keeps the sums', async () => {
    const storage = createMemoryStorage();
    const clock = createStoppedClock();
    const ledger = createUsageLedger({ writer: createUsageWriter(storage, clock), logger });
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    for (let index = 0; index < 250; index += 1) {
      ledger.record(tenant, entry({ createdAt: at(index), keyId: `key_${index}` }));
    }
    ledger.record(tenant, entry({ createdAt: at(86_400_000) }));
    await ledger.flush();
    clock.advance(30 * 86_400_000 + 250);
    expect(await sweepUsage(storage, clock, 30)).toBe(250);
    expect([await entriesOf(storage), await callsOf(storage)]).toEqual([1, 251]);
  });
});
