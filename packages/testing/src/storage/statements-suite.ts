import assert from 'node:assert/strict';
import type { Storage, Write } from '@patchbay/core/storage';
import { assertRefuses } from '../assert-refuses.ts';
import { insertion } from './sample-rows.ts';
import { acme, done, type StorageSuite } from './storage-under-test.ts';

const state = (statement: string, ...parameters: readonly (string | number)[]): Write => ({ statement, parameters });
const names = async (storage: Storage) =>
  (await storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 10 })).rows.map(({ id }) => id).sort();

/** Statements within a commit, where the storage says that it takes them; a refusal where it does not. */
export function statementsSuite({ runner, it }: StorageSuite): void {
  runner.describe('statements', () => {
    it('are a part of the commit, or are refused with all of it', async (storage) => {
      const rows = [insertion('functions', 'one'), insertion('functions', 'two')];
      if (storage.statements === undefined) {
        await assertRefuses(
          'rows with a statement',
          () => storage.commit(acme, [...rows, state('SELECT 1')]),
          TypeError,
        );
        await assertRefuses('a statement', () => storage.commit(acme, [state('SELECT 1')]), TypeError);
        assert.deepEqual(await names(storage), []);
        return;
      }
      const nothing = state('SELECT 1 WHERE $1::int > $2::int', 1, 2);
      assert.deepEqual(await storage.commit(acme, [nothing]), { done: false, index: 0, reason: 'exists' });
      assert.deepEqual(await storage.commit(acme, [rows[0] as Write, nothing, rows[1] as Write]), {
        done: false,
        index: 1,
        reason: 'exists',
      });
      await assertRefuses('a statement that fails', () =>
        storage.commit(acme, [...rows, state('SELECT 1 / $1::int', 0)]),
      );
      assert.deepEqual(await names(storage), []);
      assert.deepEqual(await storage.commit(acme, [state('SELECT $1::text', 'it’s')]), done);
      assert.deepEqual(await storage.commit(acme, [state('SELECT 1'), ...rows, state('SELECT 1')]), done);
      assert.deepEqual(await names(storage), ['one', 'two']);
    });
  });
}
