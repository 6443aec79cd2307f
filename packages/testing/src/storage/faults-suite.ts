import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { PatchbayError } from '@patchbay/core/plugin';
import type { Storage, Write } from '@patchbay/core/storage';
import { assertRefuses } from '../assert-refuses.ts';
import { insertion, sampleRow } from './sample-rows.ts';
import { acme, commit, type StorageSuite } from './storage-under-test.ts';

const query = { sort: 'createdAt', order: 'asc', limit: 10 } as const;

/** Faults of the calling code, which types cannot always prevent, are refused and change nothing. */
export function faultsSuite({ runner, it }: StorageSuite): void {
  runner.describe('faults of the caller', () => {
    it('a filter without a value does not match everything', async (storage) => {
      await commit(storage, acme, insertion('executions', 'one'), insertion('executions', 'two'));
      const where = { functionId: undefined } as unknown as { functionId: string };
      await assertRefuses('list, where `functionId` is undefined', () =>
        storage.list(acme, 'executions', { ...query, where }),
      );
      await assertRefuses('scanAllTenants, where `functionId` is undefined', () =>
        storage.scanAllTenants('executions', where, 10),
      );
      await refusedWhole(storage, { deleteWhere: 'executions', where });
    });

    it('names that are not in the table of collections are refused', async (storage) => {
      await commit(storage, acme, insertion('executions', 'one'), insertion('executions', 'two'));
      for (const name of [
        'no_such_field',
        'input',
        '"; DROP TABLE executions; --',
        '__proto__',
        'constructor',
        'tenant',
      ]) {
        const where = JSON.parse(`{${JSON.stringify(name)}: "x"}`) as Record<never, never>;
        await assertRefuses(`list, sorted by ${name}`, () =>
          storage.list(acme, 'executions', { ...query, sort: name as never }),
        );
        await assertRefuses(`list, filtered by ${name}`, () => storage.list(acme, 'executions', { ...query, where }));
        await assertRefuses(`scanAllTenants, filtered by ${name}`, () =>
          storage.scanAllTenants('executions', where, 10),
        );
        await refusedWhole(storage, { deleteWhere: 'executions', where });
        if (name === 'input') continue;
        const set = where;
        await assertRefuses(`list, selecting ${name}`, () =>
          storage.list(acme, 'executions', { ...query, select: [name as never] }),
        );
        await refusedWhole(storage, { update: 'executions', id: 'one', set });
      }
    });

    it('an update cannot set the id or the revision', async (storage) => {
      await commit(storage, acme, insertion('executions', 'one'), insertion('executions', 'two'));
      await refusedWhole(storage, { update: 'executions', id: 'one', set: { id: 'three' } as object });
      await refusedWhole(storage, { update: 'executions', id: 'one', set: { revision: 1 } as object });
    });

    it('values of a wrong type are refused', async (storage) => {
      await commit(storage, acme, insertion('executions', 'one'), insertion('executions', 'two'));
      const wrong: readonly object[] = [
        { status: 1 },
        { status: null },
        { status: undefined },
        { functionVersion: 1.5 },
        { functionVersion: Number.NaN },
        { durationMs: '1' },
        { logsTruncated: 1 },
        { createdAt: null },
        { input: undefined },
        { output: undefined },
      ];
      for (const set of wrong) {
        await refusedWhole(storage, { update: 'executions', id: 'one', set });
        const row = { ...sampleRow('executions', 'new'), ...set } as ReturnType<typeof sampleRow<'executions'>>;
        await refusedWhole(storage, { insert: 'executions', row });
      }
    });

    it('a page and a commit have bounds', async (storage) => {
      await commit(storage, acme, insertion('executions', 'one'), insertion('executions', 'two'));
      for (const bounds of [{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { offset: -1 }, { offset: 10_001 }]) {
        await assertRefuses(`list with ${JSON.stringify(bounds)}`, () =>
          storage.list(acme, 'executions', { ...query, ...bounds }),
        );
      }
      const after = { value: '2026-01-01T00:00:00.000Z', id: 'a' };
      await assertRefuses('list with both offset and after', () =>
        storage.list(acme, 'executions', { ...query, offset: 1, after }),
      );
      await assertRefuses('scanAllTenants with the limit 0', () => storage.scanAllTenants('executions', {}, 0));
      await assertRefuses('a commit without writes', () => storage.commit(acme, []));
      const many = Array.from({ length: 1_001 }, (_, index) => insertion('functions', `f${index}`));
      await assertRefuses('a commit of 1,001 writes', () => storage.commit(acme, many));
      assert.equal((await storage.list(acme, 'functions', query)).total, 0);
      await commit(storage, acme, ...many.slice(1));
      assert.equal((await storage.list(acme, 'functions', query)).total, 1_000);
    });
  });
}

/** The write rejects, the writes before it in the commit leave no trace, and those of other commits are kept. */
async function refusedWhole(storage: Storage, write: Write): Promise<void> {
  const before = await storage.list(acme, 'executions', query);
  const [alone, together, beside] = await Promise.allSettled([
    storage.commit(acme, [write]),
    storage.commit(acme, [{ delete: 'executions', id: 'two' }, write]),
    storage.commit(acme, [insertion('functions', 'beside')]),
  ]);
  const input = inspect(write, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  assert.equal(alone.status, 'rejected', `it has to refuse a commit of ${input}`);
  assert.equal(together.status, 'rejected', `it has to refuse a commit of a delete and ${input}`);
  const isUnavailable = alone.status === 'rejected' && PatchbayError.is(alone.reason);
  assert.ok(
    !isUnavailable,
    'what would be refused again is no PatchbayError: those are for what may be accepted later',
  );
  assert.deepEqual(beside, { status: 'fulfilled', value: { done: true } });
  assert.deepEqual(await storage.list(acme, 'executions', query), before);
  await commit(storage, acme, { delete: 'functions', id: 'beside' });
}
