import { silentLogger } from '@patchbay/contracts/base/logger';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../built-in/memory-storage.ts';
import { createStoppedClock } from '../fixtures/function-parts.ts';
import { createNameObserver } from './name-observer.ts';

const acme = tenantId('acme');
const page = { sort: 'lastSeenAt', order: 'desc', limit: 100 } as const;
const seen = (name: string, fields: object = {}) => ({ name, input: {}, output: undefined, refused: false, ...fields });

function createObserver(storage: Storage = createMemoryStorage()) {
  const clock = createStoppedClock();
  const observer = createNameObserver({ storage, clock, logger: silentLogger });
  const stored = async () => await storage.list(acme, 'observedNames', page);
  return { storage, clock, observer, stored };
}

describe('observed names', () => {
  it('calls are counted in memory, and added to the stored counts', async () => {
    const { observer, stored, clock } = createObserver();
    observer.observe(acme, seen('a', { input: { text: 'x' }, refused: true }));
    expect((await stored()).total).toBe(0);
    await observer.flush();
    clock.advance(1_000);
    observer.observe(acme, seen('a', { input: { text: 1 }, output: { type: 'object' } }));
    observer.observe(acme, seen('a'));
    await observer.stop();
    expect((await stored()).rows).toMatchObject([
      {
        revision: 2,
        count: 3,
        refused: 1,
        firstSeenAt: '2026-01-01T00:00:00.000Z',
        lastSeenAt: '2026-01-01T00:00:01.000Z',
        input: { text: { types: ['integer', 'string'], count: 2 } },
        output: { type: 'object' },
      },
    ]);
  });

  it('several processes count without losing a call', async () => {
    const { storage, observer, stored } = createObserver();
    const other = createObserver(storage).observer;
    for (let count = 0; count < 10; count += 1) {
      observer.observe(acme, seen('a'));
      other.observe(acme, seen('a'));
      await Promise.all([observer.flush(), other.flush()]);
    }
    expect((await stored()).rows).toMatchObject([{ name: 'a', count: 20 }]);
  });

  it('wait while the storage is down', async () => {
    const storage = createMemoryStorage();
    let away = true;
    const commit: Storage['commit'] = async (...given) => {
      if (away) throw new Error('away');
      return await storage.commit(...given);
    };
    const { observer, stored } = createObserver({ ...storage, commit });
    observer.observe(acme, seen('a'));
    await expect(observer.flush()).rejects.toThrow('away');
    observer.observe(acme, seen('a'));
    away = false;
    await observer.flush();
    expect((await stored()).rows).toMatchObject([{ count: 2 }]);
  });

  it('the order in which names were seen counts, not that of the writes', async () => {
    const storage = createMemoryStorage();
    const { clock, observer, stored } = createObserver({
      ...storage,
      async commit(...given) {
        if (clock.now() > at) return await storage.commit(...given);
        clock.advance(1_000);
        observer.observe(acme, seen('a', { output: { type: 'object', description: 'later' } }));
        throw new Error('away');
      },
    });
    const at = clock.now();
    observer.observe(acme, seen('a', { output: { type: 'object', description: 'earlier' } }));
    await expect(observer.flush()).rejects.toThrow('away');
    await observer.flush();
    expect((await stored()).rows).toMatchObject([
      {
        count: 2,
        firstSeenAt: '2026-01-01T00:00:00.000Z',
        lastSeenAt: '2026-01-01T00:00:01.000Z',
        output: { description: 'later' },
      },
    ]);
  });

  it('are stored for other tenants if those of one tenant cannot be', async () => {
    const storage = createMemoryStorage();
    const { observer } = createObserver({
      ...storage,
      async list(tenant, table, query) {
        if (tenant === acme) throw new Error('away');
        return await storage.list(tenant, table, query);
      },
    });
    const other = tenantId('other');
    for (const tenant of [acme, other]) observer.observe(tenant, seen('a'));
    await expect(observer.flush()).rejects.toThrow('away');
    expect((await storage.list(other, 'observedNames', page)).total).toBe(1);
    await observer.flush();
    expect((await storage.list(acme, 'observedNames', page)).rows).toMatchObject([{ count: 1 }]);
  });

  it('waiting names, stored names, members and outputs are bounded', async () => {
    const { observer, stored, clock } = createObserver();
    for (let count = 0; count < 1_100; count += 1) observer.observe(acme, seen(`first ${count}`));
    await observer.flush();
    expect((await stored()).total).toBe(1_000);
    clock.advance(1_000);
    const names = Array.from({ length: 60 }, (_, index) => `m${index}`);
    const input = Object.fromEntries([...names, 'x'.repeat(65)].map((name) => [name, true]));
    const output = { type: 'object', description: 'x'.repeat(9_000) };
    observer.observe(acme, seen('second', { input, output }));
    observer.observe(acme, seen('second', { input: { later: 1 } }));
    await observer.flush();
    const { rows, total } = await stored();
    expect(total).toBe(1_000);
    expect(rows[0]).toMatchObject({ name: 'second', count: 2, output: null });
    expect(Object.keys(rows[0]?.input ?? {})).toEqual(names.slice(0, 50));
  });

  it('members named like parts of objects are kept', async () => {
    const { observer, stored } = createObserver();
    const input = JSON.parse('{"__proto__": 1, "constructor": 1, "toString": {}}');
    observer.observe(acme, seen('constructor', { input }));
    observer.observe(acme, seen('constructor', { input }));
    await observer.flush();
    expect((await stored()).rows[0]?.input).toEqual({
      constructor: { types: ['integer'], count: 2 },
      toString: { types: ['object'], count: 2 },
    });
  });
});
