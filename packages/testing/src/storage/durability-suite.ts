import assert from 'node:assert/strict';
import { collectionNames, insertion, sampleRow } from './sample-rows.ts';
import { acme, commit, type StorageSuite } from './storage-under-test.ts';

/** Migrations, health, and what is left after a restart. */
export function durabilitySuite({ runner, options, it }: StorageSuite): void {
  runner.describe('lifecycle', () => {
    it('migrating again, also twice at once, changes nothing', async (storage) => {
      await commit(storage, acme, insertion('functions', 'one'));
      assert.deepEqual(await storage.migrate(), []);
      assert.deepEqual((await storage.pendingMigrations?.()) ?? [], []);
      assert.deepEqual(await Promise.all([storage.migrate(), storage.migrate()]), [[], []]);
      assert.deepEqual(await storage.get(acme, 'functions', 'one'), sampleRow('functions', 'one'));
    });

    it('a storage that works says so', async (storage) => {
      if (storage.health !== undefined) assert.equal((await storage.health()).status, 'pass');
    });

    if (options.capabilities?.includes('durable') !== true) return;

    runner.it('acknowledged rows survive a restart', async () => {
      const subject = await options.create();
      try {
        assert.ok(subject.reopen, 'what is durable can be reopened');
        const commits = Array.from({ length: 100 }, (_, index) =>
          subject.storage.commit(acme, [insertion('functions', `f_${index}`, { name: `name ${index}` })]),
        );
        await Promise.all(commits);
        for (const collection of collectionNames) await commit(subject.storage, acme, insertion(collection, 'one'));
        await commit(subject.storage, acme, { update: 'functions', id: 'f_0', set: { name: 'changed' } });
        await commit(subject.storage, acme, { delete: 'functions', id: 'f_1' });

        const storage = await subject.reopen();
        assert.deepEqual(await storage.migrate(), []);
        for (const collection of collectionNames) {
          assert.deepEqual(await storage.get(acme, collection, 'one'), sampleRow(collection, 'one'));
        }
        assert.equal((await storage.get(acme, 'functions', 'f_0'))?.name, 'changed');
        assert.equal(await storage.get(acme, 'functions', 'f_1'), undefined);
        assert.equal((await storage.get(acme, 'functions', 'f_99'))?.name, 'name 99');
        const { rows, total } = await storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 100 });
        assert.deepEqual([rows.length, total], [100, 100]);
      } finally {
        await subject.dispose();
      }
    });

    runner.it('stopping waits for the commits under way', async () => {
      const subject = await options.create();
      try {
        assert.ok(subject.reopen, 'what is durable can be reopened');
        const commits = Promise.all(
          Array.from({ length: 200 }, (_, index) =>
            subject.storage.commit(acme, [insertion('functions', `f_${index}`)]),
          ),
        );
        const [results, storage] = await Promise.all([commits, subject.reopen()]);
        assert.ok(results.every((result) => result.done));
        const { total } = await storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 1 });
        assert.equal(total, 200);
      } finally {
        await subject.dispose();
      }
    });
  });
}
