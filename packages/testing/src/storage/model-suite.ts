import assert from 'node:assert/strict';
import type { TenantId } from '@patchbay/core/plugin';
import type { Collection, Storage } from '@patchbay/core/storage';
import { createMemoryStorage } from '@patchbay/core/storage';
import { createRandom, type Random } from './random.ts';
import { randomFilter, randomIds, randomQuery, randomWrite } from './random-operations.ts';
import { collectionNames } from './sample-rows.ts';
import { acme, other, type StorageSuite } from './storage-under-test.ts';

const tenants = [acme, other];

/** Collections of one test: writes spread over more hardly ever collide. */
const AT_A_TIME = 3;

/** Outcomes of a commit, in alphabetical order. Random commits continue until each has occurred. */
const OUTCOMES = ['done', 'exists', 'missing', 'revision'];

/** Behaves like the storage in memory, whatever the operations. */
export function modelSuite({ runner, options, it }: StorageSuite): void {
  const ordered = options.capabilities?.includes('ordered') === true;
  runner.describe('random commits', () => {
    for (let first = 0; first < collectionNames.length; first += AT_A_TIME) {
      const some = collectionNames.slice(first, first + AT_A_TIME);
      it(`match the results in memory (${some.join(', ')})`, async (storage) => {
        const model = createMemoryStorage();
        const random = createRandom(1 + first);
        const outcomes = new Set<string>();
        for (let round = 0; round < 100 || (outcomes.size < OUTCOMES.length && round < 400); round += 1) {
          // Several at once if their order is known, so that they meet in a group if the storage groups commits.
          const commits = Array.from({ length: ordered ? 1 + random.below(6) : 1 }, () => ({
            tenant: random.pick(tenants),
            writes: Array.from({ length: 1 + random.below(4) }, () => randomWrite(random, some)),
          }));
          const expected = [];
          for (const { tenant, writes } of commits) expected.push(await model.commit(tenant, writes));
          const results = await Promise.all(commits.map(({ tenant, writes }) => storage.commit(tenant, writes)));
          assert.deepEqual(results, expected, JSON.stringify(commits));
          for (const result of results) outcomes.add(result.done ? 'done' : result.reason);
          await compare(random, some, model, storage);
        }
        assert.deepEqual([...outcomes].sort(), OUTCOMES, 'commits are refused, too');
      });
    }
  });
}

async function compare(random: Random, some: readonly Collection[], model: Storage, storage: Storage): Promise<void> {
  for (const collection of some) {
    const tenant: TenantId = random.pick(tenants);
    const id = random.pick(randomIds);
    assert.deepEqual(await storage.get(tenant, collection, id), await model.get(tenant, collection, id));
    const query = randomQuery(random, collection);
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
