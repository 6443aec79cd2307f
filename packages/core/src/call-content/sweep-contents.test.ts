import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { sweepContents } from './sweep-contents.ts';

const DAY_MS = 86_400_000;
const now = Date.UTC(2026, 0, 31);
const [a, b] = [tenantId('a'), tenantId('b')];

/** A storage with the contents of calls, each so many days old. */
async function withContents(tenants: Readonly<Record<string, readonly number[]>>, bytes = 100) {
  const storage = createMemoryStorage();
  for (const [tenant, days] of Object.entries(tenants)) {
    for (const [index, each] of days.entries()) {
      const createdAt = new Date(now - each * DAY_MS + index).toISOString();
      const row = { id: `call_${tenant}_${index}`, revision: 1, bytes, createdAt, content: 'sealed' };
      await storage.commit(tenantId(tenant), [{ insert: 'callContents', row }]);
    }
  }
  const idsOf = async (tenant: typeof a) => {
    const { rows } = await storage.list(tenant, 'callContents', { sort: 'createdAt', order: 'asc', limit: 100 });
    return rows.map(({ id }) => id);
  };
  return { storage, idsOf };
}

describe('the content of calls', () => {
  it('is deleted after its retention period, for all tenants', async () => {
    const { storage, idsOf } = await withContents({ a: [9, 8, 6, 0], b: [30] });
    const kept = { contentDays: 7, contentMaxBytes: 1_000_000 };
    expect(await sweepContents(storage, createStoppedClock(now), kept)).toBe(3);
    expect([await idsOf(a), await idsOf(b)]).toEqual([['call_a_2', 'call_a_3'], []]);
  });

  it('is deleted beyond the byte limit of its tenant, oldest first', async () => {
    const { storage, idsOf } = await withContents({ a: Array.from({ length: 250 }, () => 1), b: [1, 1] });
    const kept = { contentDays: 7, contentMaxBytes: 1_050 };
    expect(await sweepContents(storage, createStoppedClock(now), kept)).toBe(240);
    expect((await idsOf(a)).at(0)).toBe('call_a_240');
    expect(await idsOf(b)).toHaveLength(2);
    expect(await sweepContents(storage, createStoppedClock(now), kept)).toBe(0);
  });
});
