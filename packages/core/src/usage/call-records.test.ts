import { describe, expect, it } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { tenantId } from '../contracts/tenant.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { createCallRecorder, sweepCallRecords } from './call-records.ts';
import { createUsageLedger } from './usage-ledger.ts';

const DAY_MS = 86_400_000;
const tenant = tenantId('a');
const context = {
  requestId: 'request_1',
  caller: { id: 'key_1', kind: 'api-key', tenant, scopes: ['*'] },
  signal: new AbortController().signal,
  logger: silentLogger,
} as const;

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
    const ledger = createUsageLedger({ storage: counting, logger: silentLogger });
    const recorder = createCallRecorder(ledger, createStoppedClock());
    for (let index = 0; index < 200; index += 1) {
      recorder.record(context, { id: `call_${index}`, name: 'n'.repeat(300), model: 'acme/large' });
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

  it('are deleted once no feedback is accepted any more', async () => {
    const storage = createMemoryStorage();
    const ledger = createUsageLedger({ storage, logger: silentLogger });
    const clock = { now: () => 40 * DAY_MS, monotonic: () => 0 };
    for (const age of [31, 29]) {
      const then = { ...clock, now: () => (40 - age) * DAY_MS };
      createCallRecorder(ledger, then).record(context, { id: `call_${age}` });
    }
    await ledger.flush();
    expect(await sweepCallRecords(storage, clock)).toBe(1);
    const left = await storage.scanAllTenants('callRecords', {}, 10);
    expect(left.map(({ row }) => row.id)).toEqual(['call_29']);
    await ledger.stop();
  });
});
