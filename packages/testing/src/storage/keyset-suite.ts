import assert from 'node:assert/strict';
import type { Storage } from '@patchbay/core/storage';
import { insertion, numbered, timeAt } from './sample-rows.ts';
import { acme, commit, type StorageSuite } from './storage-under-test.ts';

const count = 130;

/** Walking a list by the position of the last row. */
export function keysetSuite({ runner, it }: StorageSuite): void {
  runner.describe('keyset', () => {
    for (const order of ['asc', 'desc'] as const) {
      for (const sort of ['createdAt', 'name'] as const) {
        it(`${sort} ${order}: meets every row once while others are inserted and deleted`, async (storage) => {
          await commit(storage, acme, ...Array.from({ length: count }, (_, index) => row(index)));
          const met: string[] = [];
          let more = 0;
          await walk(storage, sort, order, async (ids) => {
            met.push(...ids);
            // Before, at and after the position of the walk, and among rows equal to it.
            const place = Number(ids.at(-1)?.slice(2, 8));
            for (const near of [0, place - 1, place, place + 1, count]) {
              if (near < 0 || more >= 60) continue;
              more += 1;
              await commit(storage, acme, row(near, `_later_${more}`));
            }
            // A cursor whose row was deleted still marks a position.
            await commit(storage, acme, { delete: 'functions', id: ids.at(-1) ?? '' });
          });
          assert.equal(new Set(met).size, met.length, 'no row was met twice');
          const first = met.filter((id) => !id.includes('later'));
          const all = Array.from({ length: count }, (_, index) => numbered('f', index));
          assert.deepEqual(first, order === 'asc' ? all : all.reverse());
        });
      }
    }

    it('works with a filter, and leaves the total alone', async (storage) => {
      const writes = Array.from({ length: 20 }, (_, index) =>
        insertion('executions', numbered('e', index), { functionId: `function_${index % 2}`, createdAt: timeAt(0) }),
      );
      await commit(storage, acme, ...writes);
      const page = await storage.list(acme, 'executions', {
        where: { functionId: 'function_1' },
        sort: 'createdAt',
        order: 'desc',
        limit: 3,
        after: { value: timeAt(0), id: numbered('e', 9) },
        select: ['id'],
      });
      assert.deepEqual(page, { rows: [7, 5, 3].map((index) => ({ id: numbered('e', index) })), total: 10 });
    });

    it('begins at a value where one is given, and counts from there', async (storage) => {
      const writes = Array.from({ length: 12 }, (_, index) =>
        insertion('executions', numbered('e', index), { createdAt: timeAt(index) }),
      );
      await commit(storage, acme, ...writes);
      const query = { sort: 'createdAt', from: timeAt(8), limit: 2, select: ['id'] } as const;
      const after = { value: timeAt(9), id: numbered('e', 9) };
      const page = async (more: { order: 'asc' | 'desc'; after?: typeof after; where?: { functionId: string } }) => {
        const { rows, total } = await storage.list(acme, 'executions', { ...query, ...more });
        return [...rows.map(({ id }) => id), total];
      };
      assert.deepEqual(await page({ order: 'asc' }), [numbered('e', 8), numbered('e', 9), 4]);
      assert.deepEqual(await page({ order: 'asc', after }), [numbered('e', 10), numbered('e', 11), 4]);
      assert.deepEqual(await page({ order: 'desc', after }), [numbered('e', 8), 4]);
      assert.deepEqual(await page({ order: 'desc', where: { functionId: 'function_none' } }), [0]);
    });

    it('works over integers', async (storage) => {
      const writes = Array.from({ length: 12 }, (_, index) =>
        insertion('functionVersions', numbered('v', index), { version: index }),
      );
      await commit(storage, acme, ...writes);
      const page = await storage.list(acme, 'functionVersions', {
        where: { functionId: 'function_1' },
        sort: 'version',
        order: 'asc',
        limit: 2,
        after: { value: 9, id: numbered('v', 9) },
        select: ['version'],
      });
      assert.deepEqual(page, { rows: [{ version: 10 }, { version: 11 }], total: 12 });
    });
  });
}

/** Every three rows share a time and a name. */
function row(index: number, suffix = '') {
  const group = Math.floor(index / 3);
  return insertion('functions', numbered('f', index) + suffix, {
    createdAt: timeAt(group),
    name: numbered('n', group),
  });
}

async function walk(
  storage: Storage,
  sort: 'createdAt' | 'name',
  order: 'asc' | 'desc',
  visit: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  let after: { value: string; id: string } | undefined;
  for (let page = 0; page < 1_000; page += 1) {
    const query = { sort, order, limit: 7, select: ['id', 'createdAt', 'name'] } as const;
    const { rows } = await storage.list(acme, 'functions', after === undefined ? query : { ...query, after });
    const last = rows.at(-1);
    if (last === undefined) return;
    after = { value: last[sort], id: last.id };
    await visit(rows.map(({ id }) => id));
  }
  assert.fail('the walk came to no end');
}
