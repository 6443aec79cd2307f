import type { TenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../built-in/memory-cache.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { createKeptItems } from './kept-items.ts';

const [one, other] = ['one', 'other'] as unknown as readonly [TenantId, TenantId];

describe('kept items', () => {
  it('an item is found for an hour by the tenant that received it, and by no other', async () => {
    const clock = createStoppedClock();
    const items = createKeptItems(createMemoryCache(clock, 100_000), { warn() {} });
    const item = { id: 'msg_1', type: 'message', content: 'Hello' };
    await items.keep(one, [item, { id: 'fc_1' }]);
    expect(await items.find(one, ['msg_1', 'unknown'])).toEqual(new Map([['msg_1', item]]));
    expect((await items.find(other, ['msg_1'])).size).toBe(0);
    clock.advance(3_600_001);
    expect((await items.find(one, ['msg_1'])).size).toBe(0);
  });

  it('items are unknown while the cache fails, and the failure is logged', async () => {
    const broken = { get: () => Promise.reject(new Error('gone')), set: () => Promise.reject(new Error('gone')) };
    const warnings: string[] = [];
    const items = createKeptItems(
      { ...broken, delete: async () => {} },
      { warn: (message) => void warnings.push(message) },
    );
    await items.keep(one, [{ id: 'msg_1' }]);
    expect((await items.find(one, ['msg_1'])).size).toBe(0);
    expect(warnings).toEqual(['the items of a response could not be kept']);
  });
});
