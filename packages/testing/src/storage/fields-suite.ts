import assert from 'node:assert/strict';
import type { JsonValue } from '@patchbay/core/plugin';
import { type Collection, collections, type FieldType, type Write } from '@patchbay/core/storage';
import { collectionNames, fieldTypes, sampleRow } from './sample-rows.ts';
import { acme, commit, type StorageSuite } from './storage-under-test.ts';

const megabyte = 1_048_576;

const strings = [
  '',
  'x'.repeat(255),
  'é 漢 😀 \u{10ffff} \uffee',
  `'";--%_\\ $1 ?1 :a @b`,
  ' spaces ',
  '\n\t\r',
  '\0 \x01\0 \x01\x01\x02 \x7f',
];

const documents: readonly JsonValue[] = [
  {},
  { z: 1, a: { y: [], b: null }, ä: true, m: [1, [2, [3]]] },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}, "toString": 0}') as JsonValue,
  { '': '', '😀': '\u{10ffff}', quote: '"\'\\', lines: '\n\r\u2028' },
  { big: 9_007_199_254_740_991, small: -1e-7, huge: 1.5e308, zero: 0 },
  nested(60),
  [],
  [null, false, 0, ''],
  { '\0': '\0 \x01\x01\x02', half: 'half a pair \ud83d', '\udc00': 1 },
];

const values: Readonly<Record<string, readonly unknown[]>> = {
  string: strings,
  text: [...strings, 'c'.repeat(8 * megabyte), '😀'.repeat(megabyte / 4)],
  integer: [0, -1, 2_147_483_648, -4_294_967_297, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  boolean: [true, false],
  time: [
    '1970-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999Z',
    '2026-02-28T12:00:00.120Z',
  ],
  json: documents,
};

/** Every field returns what was written to it. */
export function fieldsSuite({ runner, it }: StorageSuite): void {
  runner.describe('fields', () => {
    for (const collection of collectionNames) {
      it(`${collection}: every type of field keeps its extremes`, async (storage) => {
        const rounds = Math.max(...Object.values(values).map((list) => list.length));
        for (let round = 0; round < rounds; round += 1) {
          const row = extremeRow(collection, `row_${round}`, round);
          await commit(storage, acme, { insert: collection, row } as unknown as Write);
          const read = await storage.get(acme, collection, `row_${round}`);
          assert.deepEqual(read, row);
          // The string also shows the order of keys within documents.
          for (const [name, value] of Object.entries(row)) {
            if (typeof value !== 'object') continue;
            assert.equal(JSON.stringify(Reflect.get(read ?? {}, name)), JSON.stringify(value), name);
          }
        }
      });

      it(`${collection}: an update keeps extremes as well`, async (storage) => {
        await commit(storage, acme, { insert: collection, row: sampleRow(collection, 'one') } as Write);
        const { id: _, revision: __, ...set } = extremeRow(collection, 'one', 2);
        await commit(storage, acme, { update: collection, id: 'one', set } as unknown as Write);
        assert.deepEqual(await storage.get(acme, collection, 'one'), { id: 'one', revision: 2, ...set });
      });
    }

    it('a document never becomes a prototype', async (storage) => {
      const input = documents[2] as Readonly<Record<string, JsonValue>>;
      await commit(storage, acme, { insert: 'executions', row: sampleRow('executions', 'one', { input }) });
      const read = (await storage.get(acme, 'executions', 'one'))?.input ?? {};
      assert.equal(Object.getPrototypeOf(read), Object.prototype);
      assert.deepEqual(Object.keys(read), ['__proto__', 'constructor', 'toString']);
      assert.equal(Reflect.get({}, 'polluted'), undefined);
    });

    it('ids are compared exactly', async (storage) => {
      const ids = ['a', 'A', 'ä', 'a ', ' a', 'a%', '_', "a'", '😀', 'a\0', '\0a', '\x01', '\x01\x01'];
      await commit(
        storage,
        acme,
        ...ids.map((id): Write => ({ insert: 'functions', row: sampleRow('functions', id) })),
      );
      for (const id of ids) assert.equal((await storage.get(acme, 'functions', id))?.id, id);
      assert.equal(await storage.get(acme, 'functions', 'Ä'), undefined);
      for (const id of ['', '\0', 'a\0\0']) assert.equal(await storage.get(acme, 'functions', id), undefined);
    });
  });
}

/** A row with an extreme value in every field except those that distinguish rows. */
function extremeRow(collection: Collection, id: string, round: number): Record<string, unknown> {
  const kept: readonly string[] = ['id', ...collections[collection].unique];
  const row: Record<string, unknown> = { ...sampleRow(collection, id) };
  for (const [name, type] of Object.entries(fieldTypes(collection))) {
    if (!kept.includes(name)) row[name] = extreme(type, round);
  }
  return row;
}

function extreme(type: FieldType, round: number): unknown {
  const nullable = type.endsWith('?');
  const list = values[nullable ? type.slice(0, -1) : type] ?? [];
  const all = nullable ? [null, ...list] : list;
  return all[round % all.length];
}

function nested(depth: number): JsonValue {
  return depth === 0 ? 'deep' : depth % 2 === 0 ? [nested(depth - 1)] : { in: nested(depth - 1) };
}
