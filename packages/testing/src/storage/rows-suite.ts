import assert from 'node:assert/strict';
import type { Collection, Rows, Write } from '@patchbay/core/storage';
import { collectionNames, fieldTypes, firstSort, insertion, sampleRow } from './sample-rows.ts';
import { acme, commit, type StorageSuite } from './storage-under-test.ts';

/** Rows come, change and go. */
export function rowsSuite({ runner, it }: StorageSuite): void {
  runner.describe('rows', () => {
    for (const collection of collectionNames) {
      it(`${collection}: inserted, read, changed and deleted`, async (storage) => {
        const row = sampleRow(collection, 'one');
        assert.equal(await storage.get(acme, collection, 'one'), undefined);
        await commit(storage, acme, insertion(collection, 'one'), insertion(collection, 'two'));
        assert.deepEqual(await storage.get(acme, collection, 'one'), row);

        const set = change(collection);
        await commit(storage, acme, { update: collection, id: 'one', set } as unknown as Write);
        const changed = { ...row, ...set, revision: 2 };
        assert.deepEqual(await storage.get(acme, collection, 'one'), changed);
        assert.deepEqual(await storage.get(acme, collection, 'two'), sampleRow(collection, 'two'));

        await commit(storage, acme, { delete: collection, id: 'one' });
        assert.equal(await storage.get(acme, collection, 'one'), undefined);
        assert.deepEqual(await storage.get(acme, collection, 'two'), sampleRow(collection, 'two'));
      });

      it(`${collection}: a selection has exactly the fields that were asked for`, async (storage) => {
        await commit(storage, acme, insertion(collection, 'one'));
        const row: Readonly<Record<string, unknown>> = { ...sampleRow(collection, 'one') };
        const names = Object.keys(fieldTypes(collection));
        for (const select of [...names.map((name) => [name]), names.filter((_, index) => index % 2 === 0), []]) {
          const { rows, total } = await storage.list(acme, collection, {
            sort: firstSort(collection),
            order: 'asc',
            limit: 10,
            select: select as never[],
          });
          assert.deepEqual(rows, [Object.fromEntries(select.map((name) => [name, row[name]]))]);
          assert.equal(total, 1);
        }
      });
    }

    it('an update that sets nothing counts as a change', async (storage) => {
      await commit(storage, acme, insertion('functions', 'one'));
      await commit(storage, acme, { update: 'functions', id: 'one', set: {} });
      assert.deepEqual(await storage.get(acme, 'functions', 'one'), { ...sampleRow('functions', 'one'), revision: 2 });
    });

    it('an update can set a value to null, and to something again', async (storage) => {
      await commit(storage, acme, insertion('executions', 'one'));
      const empty = { output: null, completedAt: null, durationMs: null };
      await commit(storage, acme, { update: 'executions', id: 'one', set: empty });
      assert.deepEqual(await storage.get(acme, 'executions', 'one'), {
        ...sampleRow('executions', 'one'),
        ...empty,
        revision: 2,
      });
      const full = { output: {}, completedAt: '2026-01-02T03:04:06.000Z', durationMs: 0 };
      await commit(storage, acme, { update: 'executions', id: 'one', set: full });
      assert.deepEqual(await storage.get(acme, 'executions', 'one'), {
        ...sampleRow('executions', 'one'),
        ...full,
        revision: 3,
      });
    });

    it('deleteWhere deletes exactly the rows that match all conditions', async (storage) => {
      const rows = (['running', 'failed', 'running'] as const).flatMap((status, index) => [
        sampleRow('executions', `a${index}`, { functionId: 'function_a', status }),
        sampleRow('executions', `b${index}`, { functionId: 'function_b', status }),
      ]);
      const left = async () =>
        (await storage.list(acme, 'executions', { sort: 'createdAt', order: 'asc', limit: 100 })).rows.map(
          ({ id }) => id,
        );
      await commit(storage, acme, ...rows.map((row): Write => ({ insert: 'executions', row })));
      await commit(storage, acme, {
        deleteWhere: 'executions',
        where: { functionId: 'function_a', status: 'running' },
      });
      assert.deepEqual(await left(), ['a1', 'b0', 'b1', 'b2']);
      await commit(storage, acme, { deleteWhere: 'executions', where: { functionId: 'no such function' } });
      await commit(storage, acme, { deleteWhere: 'executions', where: { status: 'failed' } });
      assert.deepEqual(await left(), ['b0', 'b2']);
      await commit(storage, acme, { deleteWhere: 'executions', where: {} });
      assert.deepEqual(await left(), []);
    });

    it('changes of a row in hand do not affect stored rows', async (storage) => {
      const given = { ...sampleRow('functions', 'one'), input: { type: 'object' as const, properties: {} } };
      await commit(storage, acme, { insert: 'functions', row: given });
      vandalize(given);
      const stored = { ...sampleRow('functions', 'one'), input: { type: 'object', properties: {} } };
      const read = await storage.get(acme, 'functions', 'one');
      assert.deepEqual(read, stored);
      vandalize(read as Rows['functions']);
      assert.deepEqual(await storage.get(acme, 'functions', 'one'), stored);
      const { rows } = await storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 1 });
      vandalize(rows[0] as Rows['functions']);
      assert.deepEqual(await storage.get(acme, 'functions', 'one'), stored);
    });
  });
}

/** Another value for one field: a string field if there is one. */
function change(collection: Collection): object {
  const fields = Object.entries(fieldTypes(collection)).filter(([name]) => name !== 'id' && name !== 'revision');
  const [text] = fields.find(([, type]) => /^string\??$/.test(type)) ?? [];
  if (text !== undefined) return { [text]: 'x' };
  const [number] = fields.find(([, type]) => type === 'integer') ?? [];
  if (number === undefined) throw new Error(`${collection} has neither a text nor a number`);
  return { [number]: 7 };
}

/** Reflect.set returns false, rather than throwing, if a row is frozen. */
function vandalize(row: Rows['functions']): void {
  Reflect.set(row, 'name', 'vandal');
  Reflect.set(row.input, 'type', 'string');
  Reflect.set(row.input.properties ?? {}, 'more', {});
}
