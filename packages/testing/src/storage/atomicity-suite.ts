import assert from 'node:assert/strict';
import type { CommitResult, Storage, Write } from '@patchbay/core/storage';
import { insertion } from './sample-rows.ts';
import { acme, commit, type StorageSuite } from './storage-under-test.ts';

const query = { sort: 'createdAt', order: 'asc', limit: 100, select: ['id', 'name'] } as const;

/** A commit is applied in full or not at all, whatever runs concurrently. */
export function atomicitySuite({ runner, it }: StorageSuite): void {
  runner.describe('atomicity', () => {
    it('commits beside a refused one are not affected by it', async (storage) => {
      await commit(storage, acme, insertion('functions', 'taken'));
      const results = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          storage.commit(acme, [
            insertion('functions', `first_${index}`),
            insertion('functions', index % 3 === 1 ? 'taken' : `second_${index}`),
          ]),
        ),
      );
      results.forEach((result, index) => {
        const expected: CommitResult = index % 3 === 1 ? { done: false, index: 1, reason: 'exists' } : { done: true };
        assert.deepEqual(result, expected);
      });
      for (let index = 0; index < 60; index += 1) {
        const there = index % 3 !== 1;
        assert.equal((await storage.get(acme, 'functions', `first_${index}`)) !== undefined, there);
        assert.equal((await storage.get(acme, 'functions', `second_${index}`)) !== undefined, there);
      }
      assert.equal((await storage.list(acme, 'functions', query)).total, 81);
    });

    it('no reader sees half a commit', async (storage) => {
      await commit(storage, acme, insertion('functions', 'left'), insertion('functions', 'right'));
      let writing = true;
      const readers = Array.from({ length: 4 }, async () => {
        const seen = new Set<string>();
        while (writing) {
          const { rows, total } = await storage.list(acme, 'functions', query);
          assert.equal(rows.length, total);
          assert.equal(new Set(rows.map(({ name }) => name)).size, 1, 'all rows were renamed in one commit');
          seen.add(rows[0]?.name ?? '');
          await nextTurn();
        }
        return seen.size;
      });
      const writer = (async () => {
        for (let round = 0; round < 50; round += 1) {
          await rename(storage, `name ${round}`, round);
          await nextTurn();
        }
      })().finally(() => {
        writing = false;
      });
      const ends = await Promise.allSettled([writer, ...readers]);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      for (const seen of await Promise.all(readers)) assert.ok(seen > 1, 'the reader ran beside the writer');
    });

    it('concurrent commits over several rows never mix', async (storage) => {
      const ids = ['a', 'b', 'c', 'd'];
      await commit(storage, acme, ...ids.map((id) => insertion('functions', id)));
      let won = 0;
      await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const revision = 1 + Math.floor(index / 4);
          const writes = ids.map(
            (id): Write => ({ update: 'functions', id, set: { name: `writer ${index}` }, ifRevision: revision }),
          );
          // Each writer goes through the rows in its own order.
          const result = await storage.commit(acme, [...writes.slice(index % 4), ...writes.slice(0, index % 4)]);
          if (result.done) won += 1;
        }),
      );
      const rows = (await storage.list(acme, 'functions', { ...query, select: ['name', 'revision'] })).rows;
      assert.equal(new Set(rows.map(({ name }) => name)).size, 1);
      assert.deepEqual(new Set(rows.map(({ revision }) => revision)), new Set([1 + won]));
      assert.ok(won >= 1);
    });
  });
}

/** Renames both rows, and adds or removes a third one with that name. */
async function rename(storage: Storage, name: string, round: number): Promise<void> {
  const third: Write =
    round % 2 === 0 ? insertion('functions', 'third', { name }) : { delete: 'functions', id: 'third' };
  await commit(storage, acme, { update: 'functions', id: 'left', set: { name } }, third, {
    update: 'functions',
    id: 'right',
    set: { name },
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
