import assert from 'node:assert/strict';
import { type Collection, collections, type Storage, type Write } from '@patchbay/core/storage';
import { collectionNames, fieldTypes, insertion, numbered, timeAt } from './sample-rows.ts';
import { acme, commit, type StorageSuite } from './storage-under-test.ts';

const orders = ['asc', 'desc'] as const;

/** Lists have a total order: by the field, ties by id in the same direction. */
export function orderSuite({ runner, it }: StorageSuite): void {
  runner.describe('order', () => {
    for (const collection of collectionNames) {
      for (const sort of collections[collection].sort) {
        it(`${collection} by ${sort}, with ties`, async (storage) => {
          // 30 rows over 5 values, inserted in an order that is neither of the two.
          const numbers = Array.from({ length: 30 }, (_, index) => (index * 7) % 30);
          const writes = numbers.map((number) =>
            insertion(collection, numbered('row', number), {
              [sort]: value(collection, sort, Math.floor(number / 6)),
            } as object),
          );
          await commit(storage, acme, ...writes);
          const ids = [...numbers].sort((a, b) => a - b).map((number) => numbered('row', number));
          for (const order of orders) {
            const expected = order === 'asc' ? ids : [...ids].reverse();
            assert.deepEqual(await listed(storage, collection, sort, order, [30]), expected);
            assert.deepEqual(await listed(storage, collection, sort, order, [4, 4, 4, 4, 4, 4, 4, 4]), expected);
          }
        });
      }
    }

    it('strings order by code point', async (storage) => {
      // Or by the bytes of UTF-8, which is the same. Not by a language's rules, nor by UTF-16.
      const names = [
        '',
        '\0',
        '\0\0',
        '\0a',
        '\x01',
        '\x01\0',
        '\x02',
        ' ',
        '"',
        "'",
        '0',
        '10',
        '9',
        'A',
        'Z',
        '_',
        'a',
        'aa',
        'z',
        'Ä',
        'é',
        '漢',
        '\ue000',
        '\uffee',
        '𐀀',
        '😀',
      ];
      const shuffled = names.map((_, index) => names[(index * 7) % names.length] as string);
      await commit(
        storage,
        acme,
        ...shuffled.map((name, index): Write => insertion('functions', numbered('f', index), { name })),
      );
      const byBytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      for (const order of orders) {
        const { rows } = await storage.list(acme, 'functions', { sort: 'name', order, limit: 100, select: ['name'] });
        const expected = order === 'asc' ? byBytes : [...byBytes].reverse();
        assert.deepEqual(
          rows.map(({ name }) => name),
          expected,
        );
      }
    });

    it('integers order by value', async (storage) => {
      const versions = [10, 9, 2, 1, 100, -1, 0, Number.MAX_SAFE_INTEGER, 3_000_000_000];
      await commit(
        storage,
        acme,
        ...versions.map((version, index) => insertion('functionVersions', numbered('v', index), { version })),
      );
      const query = { sort: 'version', order: 'asc', limit: 100 } as const;
      const { rows } = await storage.list(acme, 'functionVersions', query);
      assert.deepEqual(
        rows.map(({ version }) => version),
        [...versions].sort((a, b) => a - b),
      );
    });
  });
}

function value(collection: Collection, sort: string, group: number): string | number {
  const type = fieldTypes(collection)[sort];
  if (type === 'integer') return group;
  return type?.startsWith('time') === true ? timeAt(group) : `name ${group}`;
}

/** The ids of pages of these lengths, one after another. */
async function listed(
  storage: Storage,
  collection: Collection,
  sort: string,
  order: 'asc' | 'desc',
  lengths: readonly number[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const limit of lengths) {
    const query = { sort: sort as never, order, limit, offset: ids.length };
    ids.push(...(await storage.list(acme, collection, query)).rows.map(({ id }) => id));
  }
  return ids;
}
