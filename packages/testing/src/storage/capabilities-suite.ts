import assert from 'node:assert/strict';
import type { Storage, Write } from '@patchbay/core/storage';
import { assertRefuses } from '../assert-refuses.ts';
import { insertion } from './sample-rows.ts';
import { acme, done, type StorageSuite } from './storage-under-test.ts';

const names = async (storage: Storage) =>
  (await storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 10 })).rows.map(({ id }) => id).sort();

/** Writes of capabilities: part of the commit if the storage has the capability, refused if it does not. */
export function capabilitiesSuite({ runner, options, it }: StorageSuite): void {
  const first = insertion('functions', 'one');
  const second = insertion('functions', 'two');

  runner.describe('capabilities', () => {
    it('a write of a capability that the storage lacks is refused with all of its commit', async (storage) => {
      const unknown: Write = { capability: 'patchbay-conformance-unknown', content: {} };
      const commit = (writes: readonly Write[]) => () => storage.commit(acme, writes);
      await assertRefuses('a write of an unknown capability', commit([unknown]), TypeError);
      await assertRefuses('rows with such a write', commit([first, unknown, second]), TypeError);
      assert.deepEqual(await names(storage), []);
    });

    it('a write of a capability that the storage has is part of its commit', async (storage) => {
      for (const capability of storage.capabilities ?? []) {
        const samples = options.capabilityWrites?.[capability];
        assert.ok(samples, `the options have no capabilityWrites for ${capability}`);
        const write = (content: unknown): Write => ({ capability, content });
        const idle = write(samples.idle);
        assert.deepEqual(await storage.commit(acme, [idle]), { done: false, index: 0, reason: 'exists' });
        const between = await storage.commit(acme, [first, idle, second]);
        assert.deepEqual(between, { done: false, index: 1, reason: 'exists' });
        await assertRefuses('a write that fails', () => storage.commit(acme, [first, second, write(samples.failing)]));
        await assertRefuses(
          'a write without content',
          () => storage.commit(acme, [first, write(undefined)]),
          TypeError,
        );
        assert.deepEqual(await names(storage), []);

        const changing = write(samples.changing);
        assert.deepEqual(await storage.commit(acme, [changing]), done);
        assert.deepEqual(await storage.commit(acme, [changing, first, second, changing]), done);
        assert.deepEqual(await names(storage), ['one', 'two']);
        for (const id of ['one', 'two']) await storage.commit(acme, [{ delete: 'functions', id }]);
      }
    });
  });
}
