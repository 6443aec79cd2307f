import { silentLogger } from '@patchbay/contracts/base/logger';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { quantilesOf } from './call-hours.ts';
import { createCallRecorder } from './call-records.ts';
import { readOverview } from './overview.ts';
import { createUsageWriter } from './usage-hours.ts';
import { createUsageLedger } from './usage-ledger.ts';

const tenant = tenantId('a');
const caller = { id: 'key_1', kind: 'api-key', tenant, scopes: ['*'] } as const;
const context = { requestId: 'request_1', caller, signal: new AbortController().signal, logger: silentLogger };
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const HOUR_MS = 3_600_000;
const clock = createStoppedClock(Date.UTC(2026, 0, 1, 22, 30));

/** A server on a storage. */
function createServer(storage: Storage) {
  const ledger = createUsageLedger({ writer: createUsageWriter(storage, clock), logger: silentLogger });
  stops.push(() => ledger.stop());
  const recorder = createCallRecorder(ledger, clock);
  let count = 0;
  const name = `server_${stops.length}`;
  const end = (outcome: 'completed' | 'failed' | 'cached', durationMs: number, parent?: { readonly id: string }) => {
    count += 1;
    const notes = { costNanoUsd: 0, steps: [], now: () => 0 } as never;
    const within = parent === undefined ? context : { ...context, parent: { ...parent, notes } };
    recorder.record(within, { id: `call_${name}_${count}`, outcome, durationMs });
  };
  return { ledger, end };
}

const all = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-03T00:00:00.000Z' } as const;

describe('the overview of calls', () => {
  it('has the calls of all servers by hour and by day, without those made by other calls', async () => {
    const storage = createMemoryStorage();
    const [one, other] = [createServer(storage), createServer(storage)];
    one.end('completed', 100);
    one.end('failed', 100, { id: 'call_parent' });
    await one.ledger.flush();
    other.end('failed', 200);
    await other.ledger.flush();
    clock.advance(HOUR_MS);
    one.end('cached', 1);
    one.end('completed', 100);
    await one.ledger.flush();
    clock.advance(HOUR_MS);
    one.end('completed', 100);
    await one.ledger.flush();
    const hours = await readOverview(storage, { ...all, by: 'hour' }, context);
    expect(hours.periods.map(({ start, calls, failed, cached }) => [start, calls, failed, cached])).toEqual([
      ['2026-01-01T22:00:00.000Z', 2, 1, 0],
      ['2026-01-01T23:00:00.000Z', 2, 0, 1],
      ['2026-01-02T00:00:00.000Z', 1, 0, 0],
    ]);
    const days = await readOverview(storage, { ...all, by: 'day' }, context);
    expect(days.periods.map(({ start, calls }) => [start, calls])).toEqual([
      ['2026-01-01T00:00:00.000Z', 4],
      ['2026-01-02T00:00:00.000Z', 1],
    ]);
    expect([hours.total.calls, days.total.durationMs?.p50]).toEqual([5, expect.closeTo(100, -1)]);
    const until = await readOverview(storage, { ...all, to: '2026-01-01T23:00:00.000Z', by: 'hour' }, context);
    expect(until.total.calls).toBe(2);
    const { total } = await readOverview(
      storage,
      { ...all, by: 'hour' },
      { caller: { ...caller, tenant: tenantId('b') } },
    );
    expect(total).toMatchObject({ calls: 0, durationMs: null });
  });

  it('counts each call once if the outcome of a commit is not known', async () => {
    const storage = createMemoryStorage();
    let answersLost = 1;
    const shaky: Storage = {
      ...storage,
      async commit(...writes) {
        const result = await storage.commit(...writes);
        if (answersLost-- > 0) throw new PatchbayError('storage_unavailable', 'the answer was lost');
        return result;
      },
    };
    const server = createServer(shaky);
    server.end('completed', 10);
    await server.ledger.flush();
    await server.ledger.flush();
    server.end('completed', 10);
    await server.ledger.flush();
    expect((await readOverview(storage, { ...all, by: 'day' }, context)).total.calls).toBe(2);
  });

  it('has quantiles within five percent', () => {
    const durations: Record<string, number> = {};
    for (let ms = 1; ms <= 10_000; ms += 1) {
      const range = Math.round(8 * Math.log2(ms));
      durations[range] = (durations[range] ?? 0) + 1;
    }
    const [p50, p95, p99] = quantilesOf(durations, [0.5, 0.95, 0.99]);
    for (const [found, exact] of [
      [p50, 5_000],
      [p95, 9_500],
      [p99, 9_900],
    ] as const) {
      expect(Math.abs(found / exact - 1)).toBeLessThan(0.05);
    }
  });
});
