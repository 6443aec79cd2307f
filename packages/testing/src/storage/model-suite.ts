import assert from 'node:assert/strict';
import { createMemoryStorage } from '@patchbay/core';
import { type Collection, collections, type Storage, type TenantId, type Write } from '@patchbay/core/plugin';
import { createRandom, type Random } from './random.ts';
import { collectionNames, fieldTypes, insertion, timeAt } from './sample-rows.ts';
import { acme, other, type StorageSuite } from './storage-under-test.ts';

const tenants = [acme, other];
const ids = Array.from({ length: 12 }, (_, index) => `id_${index}`);

/** Collections of one test: writes that are spread over more hardly ever meet. */
const AT_A_TIME = 3;

/** Does the same as the storage in memory, whatever is asked of it. */
export function modelSuite({ runner, options, it }: StorageSuite): void {
  const ordered = options.capabilities?.includes('ordered') === true;
  runner.describe('random commits', () => {
    for (let first = 0; first < collectionNames.length; first += AT_A_TIME) {
      const some = collectionNames.slice(first, first + AT_A_TIME);
      it(`come to the same as in memory (${some.join(', ')})`, async (storage) => {
        const model = createMemoryStorage();
        const random = createRandom(1 + first);
        const refusals = new Set<string>();
        for (let round = 0; round < 200; round += 1) {
          // Several at once, where their order is known: so they meet in a group where there is such a thing.
          const commits = Array.from({ length: ordered ? 1 + random.below(6) : 1 }, () => ({
            tenant: random.pick(tenants),
            writes: Array.from({ length: 1 + random.below(4) }, () => randomWrite(random, some)),
          }));
          const expected = [];
          for (const { tenant, writes } of commits) expected.push(await model.commit(tenant, writes));
          const results = await Promise.all(commits.map(({ tenant, writes }) => storage.commit(tenant, writes)));
          assert.deepEqual(results, expected, JSON.stringify(commits));
          for (const result of results) refusals.add(result.done ? 'done' : result.reason);
          await compare(random, some, model, storage);
        }
        assert.deepEqual([...refusals].sort(), ['done', 'exists', 'missing', 'revision'], 'commits are refused, too');
      });
    }
  });
}

function randomWrite(random: Random, some: readonly Collection[]): Write {
  const collection = random.pick(some);
  const id = random.pick(ids);
  const guard = random.below(3) === 0 ? { ifRevision: 1 + random.below(3) } : {};
  const kind = random.below(8);
  if (kind < 3) return insertion(collection, id, randomFields(random, collection));
  if (kind < 6) return { update: collection, id, set: randomFields(random, collection), ...guard } as Write;
  if (kind < 7) return { delete: collection, id, ...guard } as Write;
  return { deleteWhere: collection, where: randomFilter(random, collection, 1) } as Write;
}

/** Values out of so few that they often meet: a random part of the fields that a list can sort or filter by. */
function randomFields(random: Random, collection: Collection): object {
  const { sort, filter }: { sort: readonly string[]; filter: readonly string[] } = collections[collection];
  const names = [...new Set([...sort, ...filter])].filter(() => random.below(2) === 0);
  return Object.fromEntries(names.map((name) => [name, randomValue(random, collection, name)]));
}

function randomFilter(random: Random, collection: Collection, least: number): object {
  const names: readonly string[] = collections[collection].filter;
  const chosen = names.filter(() => random.below(3) === 0);
  const enough = chosen.length >= Math.min(least, names.length) ? chosen : names.slice(0, least);
  return Object.fromEntries(enough.map((name) => [name, randomValue(random, collection, name)]));
}

function randomValue(random: Random, collection: Collection, name: string): string | number {
  const type = fieldTypes(collection)[name];
  if (type === 'integer') return random.below(3);
  if (type?.startsWith('time')) return timeAt(random.below(3));
  return name === 'lookupId' ? `lookup_${random.below(9)}` : random.pick(['a', 'b', '😀', '\uffee']);
}

async function compare(random: Random, some: readonly Collection[], model: Storage, storage: Storage): Promise<void> {
  for (const collection of some) {
    const tenant: TenantId = random.pick(tenants);
    const id = random.pick(ids);
    assert.deepEqual(await storage.get(tenant, collection, id), await model.get(tenant, collection, id));
    const sort = random.pick<string>(collections[collection].sort);
    const query = {
      sort: sort as never,
      order: random.pick(['asc', 'desc'] as const),
      where: randomFilter(random, collection, 0) as never,
      limit: 1 + random.below(6),
      ...(random.below(2) === 0
        ? { offset: random.below(4) }
        : { after: { value: randomValue(random, collection, sort), id: random.pick(ids) } }),
    };
    assert.deepEqual(
      await storage.list(tenant, collection, query),
      await model.list(tenant, collection, query),
      JSON.stringify({ collection, query }),
    );
    const where = randomFilter(random, collection, 0) as never;
    const byId = (rows: readonly { row: { id: string } }[]) => [...rows].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
    assert.deepEqual(
      byId(await storage.scanAllTenants(collection, where, 100)),
      byId(await model.scanAllTenants(collection, where, 100)),
    );
  }
}
