import assert from 'node:assert/strict';
import { tenantId } from '@patchbay/core/plugin';
import type { Write } from '@patchbay/core/storage';
import { assertRefuses } from '../assert-refuses.ts';
import { collectionNames, firstSort, insertion, sampleRow, timeAt } from './sample-rows.ts';
import { acme, commit, other, type StorageSuite } from './storage-under-test.ts';

/** A row of another tenant does not exist. */
export function tenancySuite({ runner, it }: StorageSuite): void {
  runner.describe('tenancy', () => {
    for (const collection of collectionNames) {
      it(`${collection}: another tenant's rows are missing for every operation`, async (storage) => {
        await commit(storage, acme, insertion(collection, 'mine'));
        const sort = firstSort(collection);
        const list = async (tenant: typeof acme) =>
          await storage.list(tenant, collection, { sort, order: 'asc', limit: 9 });

        assert.equal(await storage.get(other, collection, 'mine'), undefined);
        assert.deepEqual(await list(other), { rows: [], total: 0 });
        const missing: readonly Write[] = [
          { update: collection, id: 'mine', set: {} } as Write,
          { update: collection, id: 'mine', set: {}, ifRevision: 1 } as Write,
          { update: collection, id: 'mine', set: {}, ifRevision: 2 } as Write,
          { delete: collection, id: 'mine' },
          { delete: collection, id: 'mine', ifRevision: 1 },
          { delete: collection, id: 'mine', ifRevision: 2 },
        ];
        for (const write of missing) {
          assert.deepEqual(await storage.commit(other, [write]), { done: false, index: 0, reason: 'missing' });
        }
        // An id can be used only once across all tenants.
        assert.deepEqual(await storage.commit(other, [insertion(collection, 'mine')]), {
          done: false,
          index: 0,
          reason: 'exists',
        });
        await commit(storage, other, { deleteWhere: collection, where: {} } as Write);
        await commit(storage, other, insertion(collection, 'theirs'));
        assert.deepEqual(await list(acme), { rows: [sampleRow(collection, 'mine')], total: 1 });
        assert.deepEqual(await list(other), { rows: [sampleRow(collection, 'theirs')], total: 1 });
      });
    }

    it('filters and deleteWhere stay within the tenant', async (storage) => {
      const where = { functionId: 'function_1' };
      await commit(storage, acme, insertion('executions', 'a1'), insertion('executions', 'a2'));
      await commit(storage, other, insertion('executions', 'b1'));
      const ids = async (tenant: typeof acme) => {
        const query = { where, sort: 'createdAt', order: 'asc', limit: 9 } as const;
        const { rows, total } = await storage.list(tenant, 'executions', query);
        assert.equal(total, rows.length);
        return rows.map(({ id }) => id);
      };
      assert.deepEqual(await ids(acme), ['a1', 'a2']);
      assert.deepEqual(await ids(other), ['b1']);
      await commit(storage, acme, { deleteWhere: 'executions', where });
      assert.deepEqual(await ids(acme), []);
      assert.deepEqual(await ids(other), ['b1']);
    });

    it('tenants are compared exactly', async (storage) => {
      const tenants = ['a', 'A', 'a.', 'a_', 'aa', '0', '00', 'null'].map(tenantId);
      for (const tenant of tenants) await commit(storage, tenant, insertion('functions', `f_${tenant}`));
      for (const tenant of tenants) {
        const { rows, total } = await storage.list(tenant, 'functions', { sort: 'name', order: 'asc', limit: 9 });
        assert.deepEqual([rows.map(({ id }) => id), total], [[`f_${tenant}`], 1]);
      }
    });

    it('scanAllTenants sorts by a field, ties by id, where it is asked to', async (storage) => {
      const jobs = [
        ['d', 3],
        ['b', 1],
        ['c', 2],
        ['a', 2],
      ] as const;
      for (const [index, [id, at]] of jobs.entries()) {
        await commit(storage, index % 2 === 0 ? acme : other, insertion('jobs', id, { dueAt: timeAt(at) }));
      }
      await commit(storage, acme, insertion('jobs', 'e', { dueAt: timeAt(0), topic: 'other' }));
      await commit(storage, acme, insertion('jobs', 'f', { dueAt: timeAt(0), state: 'dead' }));
      const where = { topic: 'executions', state: 'waiting' } as const;
      const found = async (limit: number) =>
        (await storage.scanAllTenants('jobs', where, limit, 'dueAt')).map(({ row }) => row.id);
      assert.deepEqual(await found(9), ['b', 'a', 'c', 'd']);
      assert.deepEqual(await found(2), ['b', 'a']);
      await assertRefuses(
        'scanAllTenants, sorted by topic',
        () => storage.scanAllTenants('jobs', {}, 1, 'topic' as never),
        TypeError,
      );
    });

    it('scanAllTenants finds the first row of each tenant where it is asked to', async (storage) => {
      const tenants = ['A', 'acme', 'b', 'z', '|'].map((name) => tenantId(name));
      for (const tenant of tenants) {
        for (const [id, at] of [
          ['late', 9],
          ['first', 1],
          ['second', 2],
        ] as const) {
          await commit(storage, tenant, insertion('jobs', `${tenant} ${id}`, { dueAt: timeAt(at) }));
        }
        await commit(storage, tenant, insertion('jobs', `${tenant} other`, { dueAt: timeAt(0), topic: 'other' }));
        await commit(storage, tenant, insertion('jobs', `${tenant} dead`, { dueAt: timeAt(0), state: 'dead' }));
      }
      const where = { topic: 'executions', state: 'waiting' } as const;
      const found = async (limit: number, after?: string) =>
        (
          await storage.scanAllTenants(
            'jobs',
            where,
            limit,
            'dueAt',
            after === undefined ? {} : { after: tenantId(after) },
          )
        ).map(({ tenant, row }) => [tenant, row.id].join(': '));
      const all = ['A: A first', 'acme: acme first', 'b: b first', 'z: z first', '|: | first'];
      assert.deepEqual(await found(9), all);
      assert.deepEqual(await found(2), all.slice(0, 2));
      assert.deepEqual(await found(9, 'acme'), all.slice(2));
      assert.deepEqual(await found(9, 'aa'), all.slice(1));
      assert.deepEqual(await found(9, '|'), []);
      await assertRefuses(
        'scanAllTenants with heads and no sort',
        () => storage.scanAllTenants('jobs', where, 1, undefined, {}),
        TypeError,
      );
    });

    it('scanAllTenants finds rows of all, with whose they are', async (storage) => {
      await commit(
        storage,
        acme,
        insertion('executions', 'a1', { status: 'running' }),
        insertion('executions', 'a2'),
        insertion('apiKeys', 'key', { lookupId: 'abc' }),
      );
      await commit(storage, other, insertion('executions', 'b1', { status: 'running', functionId: 'function_2' }));
      const found = async (where: object, limit = 100) =>
        (await storage.scanAllTenants('executions', where, limit))
          .map(({ tenant, row }) => `${tenant} ${row.id}`)
          .sort();
      assert.deepEqual(await found({}), ['acme a1', 'acme a2', 'other b1']);
      assert.deepEqual(await found({ status: 'running' }), ['acme a1', 'other b1']);
      assert.deepEqual(await found({ status: 'running', functionId: 'function_2' }), ['other b1']);
      assert.deepEqual(await found({ status: 'failed' }), []);
      assert.equal((await found({}, 2)).length, 2);
      assert.deepEqual(await storage.scanAllTenants('apiKeys', { lookupId: 'abc' }, 1), [
        { tenant: acme, row: sampleRow('apiKeys', 'key', { lookupId: 'abc' }) },
      ]);
    });
  });
}
