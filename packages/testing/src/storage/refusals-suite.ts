import assert from 'node:assert/strict';
import type { Storage, Write } from '@patchbay/core/storage';
import { collectionNames, insertion, sampleRow } from './sample-rows.ts';
import { acme, commit, other, type StorageSuite } from './storage-under-test.ts';

/** A commit that cannot be applied reports which write is to blame. */
export function refusalsSuite({ runner, it }: StorageSuite): void {
  runner.describe('refusals', () => {
    for (const collection of collectionNames) {
      it(`${collection}: names the conflicting write`, async (storage) => {
        await commit(storage, acme, insertion(collection, 'one'));
        const refused = async (write: Write, reason: string) =>
          assert.deepEqual(await storage.commit(acme, [write]), { done: false, index: 0, reason });
        await refused(insertion(collection, 'one'), 'exists');
        await refused({ update: collection, id: 'two', set: {} } as Write, 'missing');
        await refused({ update: collection, id: 'two', set: {}, ifRevision: 1 } as Write, 'missing');
        await refused({ delete: collection, id: 'two' }, 'missing');
        await refused({ delete: collection, id: 'two', ifRevision: 1 }, 'missing');
        await refused({ update: collection, id: 'one', set: {}, ifRevision: 2 } as Write, 'revision');
        await refused({ delete: collection, id: 'one', ifRevision: 2 }, 'revision');
        assert.deepEqual(await storage.get(acme, collection, 'one'), sampleRow(collection, 'one'));
        await commit(storage, acme, { update: collection, id: 'one', set: {}, ifRevision: 1 } as Write);
        await commit(storage, acme, { delete: collection, id: 'one', ifRevision: 2 });
      });
    }

    it('points at the first write that cannot be done', async (storage) => {
      await commit(storage, acme, insertion('functions', 'one'));
      const writes: Write[] = [
        insertion('functions', 'two'),
        { update: 'functions', id: 'one', set: { name: 'changed' } },
        { deleteWhere: 'executions', where: { functionId: 'one' } },
        { delete: 'functions', id: 'one', ifRevision: 7 },
        insertion('functions', 'one'),
      ];
      assert.deepEqual(await storage.commit(acme, writes), { done: false, index: 3, reason: 'revision' });
      assert.deepEqual(await everyId(storage), ['one']);
      assert.deepEqual(await storage.get(acme, 'functions', 'one'), sampleRow('functions', 'one'));
    });

    it('writes of a commit see those before them', async (storage) => {
      await commit(
        storage,
        acme,
        insertion('functions', 'one'),
        { update: 'functions', id: 'one', set: { name: 'second' }, ifRevision: 1 },
        { update: 'functions', id: 'one', set: { name: 'third' }, ifRevision: 2 },
        insertion('functions', 'two'),
        { delete: 'functions', id: 'two' },
        insertion('functions', 'two', { name: 'again' }),
      );
      assert.deepEqual(await storage.get(acme, 'functions', 'one'), {
        ...sampleRow('functions', 'one'),
        name: 'third',
        revision: 3,
      });
      assert.equal((await storage.get(acme, 'functions', 'two'))?.name, 'again');
      assert.deepEqual(await storage.commit(acme, [insertion('functions', 'six'), insertion('functions', 'six')]), {
        done: false,
        index: 1,
        reason: 'exists',
      });
      assert.deepEqual(await everyId(storage), ['one', 'two']);
    });

    it('a unique value is taken over all tenants, until its row is gone', async (storage) => {
      const key = (id: string) => insertion('apiKeys', id, { lookupId: 'same' });
      const taken = { done: false, index: 1, reason: 'exists' };
      await commit(storage, acme, key('one'));
      assert.deepEqual(await storage.commit(acme, [insertion('apiKeys', 'a'), key('two')]), taken);
      assert.deepEqual(await storage.commit(other, [insertion('apiKeys', 'b'), key('three')]), taken);
      await commit(storage, other, insertion('apiKeys', 'four'));
      assert.deepEqual(
        await storage.commit(other, [
          { update: 'apiKeys', id: 'four', set: { name: 'new' } },
          { update: 'apiKeys', id: 'four', set: { lookupId: 'same' } },
        ]),
        taken,
      );
      assert.deepEqual(await storage.get(other, 'apiKeys', 'four'), sampleRow('apiKeys', 'four'));
      await commit(storage, acme, { update: 'apiKeys', id: 'one', set: { lookupId: 'same' } });
      await commit(storage, acme, { delete: 'apiKeys', id: 'one' });
      await commit(storage, other, key('three'));
    });
  });
}

async function everyId(storage: Storage): Promise<readonly string[]> {
  const { rows, total } = await storage.list(acme, 'functions', { sort: 'createdAt', order: 'asc', limit: 100 });
  assert.equal(total, rows.length);
  return rows.map(({ id }) => id);
}
