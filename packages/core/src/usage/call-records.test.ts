import { silentLogger } from '@patchbay/contracts/base/logger';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { createCallRecorder } from './call-records.ts';
import { sweepCallRecords } from './sweep-call-records.ts';
import { createUsageWriter } from './usage-hours.ts';
import { createUsageLedger } from './usage-ledger.ts';

const DAY_MS = 86_400_000;
const tenant = tenantId('a');
const context = {
  requestId: 'request_1',
  caller: { id: 'key_1', kind: 'api-key', tenant, scopes: ['*'] },
  signal: new AbortController().signal,
  logger: silentLogger,
} as const;

const ended = { outcome: 'completed', durationMs: 1 } as const;

describe('call records', () => {
  it('are written in the commits of the ledger, and need no separate one', async () => {
    const storage = createMemoryStorage();
    let commits = 0;
    const counting: typeof storage = {
      ...storage,
      async commit(...writes) {
        commits += 1;
        return await storage.commit(...writes);
      },
    };
    const ledger = createUsageLedger({
      writer: createUsageWriter(counting, createStoppedClock()),
      logger: silentLogger,
    });
    const recorder = createCallRecorder(ledger, createStoppedClock());
    for (let index = 0; index < 200; index += 1) {
      recorder.record(context, { ...ended, id: `call_${index}`, name: 'n'.repeat(300), model: 'acme/large' });
    }
    expect(await storage.get(tenant, 'callRecords', 'call_0')).toBeUndefined();
    await ledger.flush();
    expect(commits).toBe(1);
    expect(await storage.get(tenant, 'callRecords', 'call_199')).toMatchObject({
      name: 'n'.repeat(255),
      functionId: '',
      model: 'acme/large',
      keyId: 'key_1',
      requestId: 'request_1',
    });
    expect(await storage.get(tenantId('b'), 'callRecords', 'call_199')).toBeUndefined();
    await ledger.stop();
  });

  it.each([
    ['full', undefined, 'full'],
    ['full', 'metadata', 'metadata'],
    ['full', 'off', 'off'],
    ['metadata', 'full', 'metadata'],
    ['off', 'full', 'off'],
  ] as const)(
    'with content %s in the config and %s for a call are stored with content %s',
    (configured, own, level) => {
      const kept: string[] = [];
      const keep = (_tenant: unknown, call: { readonly level: string }) => void kept.push(call.level);
      const ledger = { recordCall: () => {} };
      const recorder = createCallRecorder(ledger, createStoppedClock(), {
        options: () => ({ content: configured }),
        recorder: { keep },
      });
      expect(recorder.contentLevel({ content: own })).toBe(level);
      recorder.record({ ...context, content: own }, { ...ended, id: 'call_1' }, () => ({ request: {} }));
      expect(kept).toEqual(level === 'off' ? [] : [level]);
    },
  );

  it('of an execution that was run again are those of its last run, and nothing else of their commit is lost', async () => {
    const storage = createMemoryStorage();
    const ledger = createUsageLedger({
      writer: createUsageWriter(storage, createStoppedClock()),
      logger: silentLogger,
    });
    const recorder = createCallRecorder(ledger, createStoppedClock());
    recorder.record(context, { ...ended, id: 'execution_1', outcome: 'cancelled' });
    await ledger.flush();
    const again = { ...context, requestId: 'request_2' };
    recorder.record(again, { ...ended, id: 'call_1' });
    recorder.record(again, { ...ended, id: 'execution_1' });
    recorder.record(again, { ...ended, id: 'call_2' });
    await ledger.flush();
    const list = { sort: 'createdAt', order: 'asc', limit: 9 } as const;
    const { rows } = await storage.list(tenant, 'callRecords', list);
    expect(rows.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['call_1', 'completed'],
      ['call_2', 'completed'],
      ['execution_1', 'completed'],
    ]);
    await ledger.stop();
  });

  it('are deleted once they are too old, and the oldest of a tenant that has too many', async () => {
    const storage = createMemoryStorage();
    const ledger = createUsageLedger({
      writer: createUsageWriter(storage, createStoppedClock()),
      logger: silentLogger,
    });
    const now = 40 * DAY_MS;
    const recordOf = (id: string, age: number, by: string) => {
      const clock = { now: () => now - age, monotonic: () => 0 };
      const caller = { ...context.caller, tenant: tenantId(by) };
      createCallRecorder(ledger, clock).record({ ...context, caller }, { ...ended, id });
    };
    recordOf('call_old', 31 * DAY_MS, 'small');
    recordOf('call_young', 29 * DAY_MS, 'small');
    for (let index = 0; index < 350; index += 1) recordOf(`call_${1_000 + index}`, 350 - index, 'large');
    await ledger.flush();
    const bytes = Buffer.byteLength(JSON.stringify(await storage.get(tenantId('large'), 'callRecords', 'call_1200')));
    const clock = { now: () => now, monotonic: () => 0 };
    const sweep = async () => await sweepCallRecords(storage, clock, { keepDays: 30, maxBytes: bytes * 100 });
    expect(await sweep()).toBe(251);
    const left = await storage.scanAllTenants('callRecords', {}, 500, 'createdAt');
    expect(left.map(({ row }) => row.id)).toEqual([
      'call_young',
      ...Array.from({ length: 100 }, (_, index) => `call_${1_250 + index}`),
    ]);
    expect(await sweep()).toBe(0);
    await ledger.stop();
  });
});
