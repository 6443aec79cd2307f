import assert from 'node:assert/strict';
import type { Storage } from '@patchbay/core/storage';
import { insertion, numbered } from './sample-rows.ts';
import { acme, commit, done, type StorageSuite } from './storage-under-test.ts';

/** Many at once: nothing is lost, and everybody sees what was acknowledged. */
export function concurrencySuite({ runner, it }: StorageSuite): void {
  runner.describe('concurrency', () => {
    it('of 50 updates of one revision, one is done', async (storage) => {
      await commit(storage, acme, insertion('functions', 'one'));
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          storage.commit(acme, [{ update: 'functions', id: 'one', set: { name: `writer ${index}` }, ifRevision: 1 }]),
        ),
      );
      const winners = results.flatMap((result, index) => (result.done ? [index] : []));
      assert.equal(winners.length, 1);
      for (const result of results) {
        if (!result.done) assert.deepEqual(result, { done: false, index: 0, reason: 'revision' });
      }
      const row = await storage.get(acme, 'functions', 'one');
      assert.equal(row?.revision, 2);
      assert.equal(row?.name, `writer ${winners[0]}`);
    });

    it('50 writers that try again all get through, each upon the last', async (storage) => {
      await commit(storage, acme, insertion('functions', 'one', { name: '' }));
      await Promise.all(Array.from({ length: 50 }, (_, index) => appendName(storage, `<${index}>`)));
      const row = await storage.get(acme, 'functions', 'one');
      assert.equal(row?.revision, 51);
      const expected = Array.from({ length: 50 }, (_, index) => `<${index}>`);
      assert.deepEqual((row?.name.match(/<\d+>/g) ?? []).sort(), expected.sort());
    });

    it('of 50 insertions of one id, one is done', async (storage) => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          storage.commit(acme, [insertion('functions', 'one', { name: `writer ${index}` })]),
        ),
      );
      const winner = results.findIndex((result) => result.done);
      assert.equal(results.filter((result) => result.done).length, 1);
      assert.equal((await storage.get(acme, 'functions', 'one'))?.name, `writer ${winner}`);
    });

    it('1,000 commits at once', async (storage) => {
      const ids = Array.from({ length: 1_000 }, (_, index) => numbered('f', index));
      const results = await Promise.all(
        ids.map((id) =>
          storage.commit(acme, [
            insertion('functions', id),
            insertion('functionVersions', `${id}_1`, { functionId: id }),
          ]),
        ),
      );
      for (const result of results) assert.deepEqual(result, done);
      for (const id of ids) assert.equal((await storage.get(acme, 'functions', id))?.id, id);
      const { total } = await storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 1 });
      assert.equal(total, 1_000);
      const versions = await storage.list(acme, 'functionVersions', { sort: 'version', order: 'asc', limit: 1 });
      assert.equal(versions.total, 1_000);
    });

    it('a read that starts after an acknowledgement sees the commit', async (storage) => {
      await Promise.all(
        Array.from({ length: 20 }, async (_, writer) => {
          const functionId = `function_${writer}`;
          for (let round = 1; round <= 10; round += 1) {
            const id = numbered(functionId, round);
            await commit(storage, acme, insertion('executions', id, { functionId }));
            assert.equal((await storage.get(acme, 'executions', id))?.id, id);
            const query = {
              where: { functionId },
              sort: 'createdAt',
              order: 'desc',
              limit: 1,
              select: ['id'],
            } as const;
            assert.deepEqual(await storage.list(acme, 'executions', query), { rows: [{ id }], total: round });
          }
        }),
      );
    });
  });
}

/** Read, append, write; again from the start if another writer came first. */
async function appendName(storage: Storage, text: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const row = await storage.get(acme, 'functions', 'one');
    assert.ok(row);
    const set = { name: row.name + text };
    const result = await storage.commit(acme, [{ update: 'functions', id: 'one', set, ifRevision: row.revision }]);
    if (result.done) return;
  }
  assert.fail('no attempt got through');
}
