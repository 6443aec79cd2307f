import assert from 'node:assert/strict';
import type { Write } from '@patchbay/core/storage';
import { insertion, numbered, timeAt } from './sample-rows.ts';
import { acme, commit, commitMany, type StorageSuite } from './storage-under-test.ts';

const byAge = { sort: 'createdAt', order: 'asc' } as const;

/** Pages and totals. */
export function listSuite({ runner, it }: StorageSuite): void {
  runner.describe('lists', () => {
    it('an empty collection has an empty page', async (storage) => {
      assert.deepEqual(await storage.list(acme, 'functions', { ...byAge, limit: 20 }), { rows: [], total: 0 });
    });

    it('pages follow one another, up to the last and beyond', async (storage) => {
      const writes = Array.from({ length: 45 }, (_, index) =>
        insertion('functions', numbered('f', index), { createdAt: timeAt(index) }),
      );
      await commit(storage, acme, ...writes);
      const page = async (offset: number, limit = 20) => {
        const { rows, total } = await storage.list(acme, 'functions', { ...byAge, limit, offset, select: ['id'] });
        assert.equal(total, 45);
        return rows.map(({ id }) => Number(id.slice(2)));
      };
      const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
      assert.deepEqual(await page(0), range(0, 20));
      assert.deepEqual(await page(20), range(20, 40));
      assert.deepEqual(await page(40), range(40, 45));
      assert.deepEqual(await page(45), []);
      assert.deepEqual(await page(10_000), []);
      assert.deepEqual(await page(0, 100), range(0, 45));
      assert.deepEqual(await page(44, 1), [44]);
    });

    it('the total counts every match, also where selected fields are null', async (storage) => {
      const writes = Array.from({ length: 9 }, (_, index) =>
        insertion('executions', `e${index}`, {
          functionId: index < 6 ? 'function_a' : 'function_b',
          status: index % 3 === 0 ? 'running' : 'completed',
          output: index % 2 === 0 ? null : {},
          completedAt: null,
          durationMs: null,
        }),
      );
      await commit(storage, acme, ...writes);
      const total = async (where: object) =>
        (
          await storage.list(acme, 'executions', {
            ...byAge,
            where,
            limit: 2,
            select: ['id', 'output', 'completedAt', 'durationMs'],
          })
        ).total;
      assert.equal(await total({}), 9);
      assert.equal(await total({ functionId: 'function_a' }), 6);
      assert.equal(await total({ functionId: 'function_b' }), 3);
      assert.equal(await total({ status: 'running' }), 3);
      assert.equal(await total({ functionId: 'function_a', status: 'running' }), 2);
      assert.equal(await total({ functionId: 'no such function' }), 0);
    });

    it('rows whose total the caller does not need are the same', async (storage) => {
      const writes = Array.from({ length: 7 }, (_, index) =>
        insertion('functions', numbered('f', index), { createdAt: timeAt(index) }),
      );
      await commit(storage, acme, ...writes);
      for (const part of [{ limit: 5 }, { limit: 5, offset: 5 }, { limit: 20 }, { limit: 5, offset: 20 }]) {
        const query = { ...byAge, ...part };
        const uncounted = await storage.list(acme, 'functions', { ...query, counted: false });
        assert.deepEqual(uncounted.rows, (await storage.list(acme, 'functions', query)).rows);
        assert.ok(uncounted.total >= uncounted.rows.length, 'the total is less than the rows');
      }
    });

    it('filters choose the rows as well as the total', async (storage) => {
      const writes = Array.from({ length: 12 }, (_, index) =>
        insertion('functionVersions', numbered('v', index), {
          functionId: `function_${index % 3}`,
          version: 1 + Math.floor(index / 3),
        }),
      );
      await commit(storage, acme, ...writes, insertion('apiKeys', 'key', { lookupId: 'abc' }));
      const found = async (where: object) =>
        (await storage.list(acme, 'functionVersions', { sort: 'version', order: 'desc', where, limit: 10 })).rows.map(
          ({ functionId, version }) => `${functionId}@${version}`,
        );
      assert.deepEqual(
        await found({ functionId: 'function_1' }),
        [4, 3, 2, 1].map((version) => `function_1@${version}`),
      );
      assert.deepEqual(await found({ functionId: 'function_2', version: 3 }), ['function_2@3']);
      assert.deepEqual(await found({ version: 2 }), ['function_2@2', 'function_1@2', 'function_0@2']);
      assert.deepEqual(await found({ version: 9 }), []);
      const keys = await storage.list(acme, 'apiKeys', { ...byAge, where: { lookupId: 'abc' }, limit: 10 });
      assert.deepEqual([keys.rows[0]?.id, keys.total], ['key', 1]);
    });

    it('totals follow every kind of change', async (storage) => {
      const inserted = (id: string, functionId: string) => insertion('executions', id, { functionId });
      const totals = async () => {
        const of = async (where: object) =>
          (await storage.list(acme, 'executions', { ...byAge, where, limit: 1 })).total;
        return [await of({}), await of({ functionId: 'a' }), await of({ functionId: 'b' })];
      };
      const step = async (writes: readonly Write[], expected: readonly number[]) => {
        await commit(storage, acme, ...writes);
        assert.deepEqual(await totals(), expected);
      };
      await step(
        ['1', '2', '3', '4'].map((id) => inserted(id, id < '3' ? 'a' : 'b')),
        [4, 2, 2],
      );
      await step([{ update: 'executions', id: '1', set: { functionId: 'b' } }], [4, 1, 3]);
      await step([{ update: 'executions', id: '1', set: { status: 'failed' } }], [4, 1, 3]);
      await step([{ delete: 'executions', id: '2' }], [3, 0, 3]);
      await step([{ deleteWhere: 'executions', where: { status: 'failed' } }, inserted('5', 'a')], [3, 1, 2]);
      await step([{ deleteWhere: 'executions', where: { functionId: 'b' } }], [1, 1, 0]);
      await step([inserted('6', 'a'), { delete: 'executions', id: '6' }], [1, 1, 0]);
      assert.equal((await storage.commit(acme, [inserted('7', 'a'), inserted('5', 'b')])).done, false);
      assert.deepEqual(await totals(), [1, 1, 0]);
      await step([{ deleteWhere: 'executions', where: {} }], [0, 0, 0]);
      await step([inserted('8', 'a')], [1, 1, 0]);
    });

    it('a list beyond a thousand rows', async (storage) => {
      const writes = Array.from({ length: 2_345 }, (_, index) =>
        insertion('functions', numbered('f', index), { createdAt: timeAt(index) }),
      );
      await commitMany(storage, acme, writes);
      const { rows, total } = await storage.list(acme, 'functions', {
        sort: 'createdAt',
        order: 'desc',
        limit: 100,
        offset: 2_300,
        select: ['id'],
      });
      assert.equal(total, 2_345);
      assert.equal(rows.length, 45);
      assert.equal(rows[0]?.id, numbered('f', 44));
    });
  });
}
