import assert from 'node:assert/strict';
import type { Collection, Storage } from '@patchbay/core/storage';
import { createRandom, type Random } from './random.ts';
import { randomFilter, randomIds, randomQuery, randomWrite } from './random-operations.ts';
import { collectionNames } from './sample-rows.ts';
import { acme, other } from './storage-under-test.ts';

/** Operations that were sent to all storages, and how often. */
export interface StorageComparison {
  readonly operations: number;
  readonly commits: number;
  readonly refusals: number;
  /** Rows that were read. */
  readonly rows: number;
}

type Operation = (storage: Storage) => Promise<unknown>;

/**
 * Run the same random operations on several empty storages, one after another. The same seed runs the same ones.
 *
 * @throws AssertionError at the first result that differs from that of the first storage.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from '@patchbay/core/storage';
 * import type { Storage } from '@patchbay/core/storage';
 * import { compareStorages } from '@patchbay/testing';
 *
 * declare const mine: Storage;
 *
 * await compareStorages({ memory: createMemoryStorage(), mine }, { seed: 1, operations: 10_000 });
 * ```
 */
export async function compareStorages(
  storages: Readonly<Record<string, Storage>>,
  { seed, operations }: { readonly seed: number; readonly operations: number },
): Promise<StorageComparison> {
  const random = createRandom(seed);
  const counts = { operations, commits: 0, refusals: 0, rows: 0 };
  // Few at a time: writes spread over all collections hardly ever collide.
  let some: readonly Collection[] = [];
  for (let number = 0; number < operations; number += 1) {
    if (number % 100 === 0) some = Array.from({ length: 3 }, () => random.pick(collectionNames));
    const [text, operation] = randomOperation(random, some);
    const asked = Object.entries(storages).map(async ([name, storage]) => [name, await operation(storage)] as const);
    const [[, expected] = [], ...others] = await Promise.all(asked);
    for (const [name, answer] of others) {
      const where = `seed ${seed}, operation ${number}, ${name}: ${text}`;
      assert.deepEqual(answer, expected, where);
      // The string also shows the order of keys.
      assert.equal(JSON.stringify(answer), JSON.stringify(expected), where);
    }
    count(counts, expected);
  }
  return counts;
}

function randomOperation(random: Random, some: readonly Collection[]): readonly [text: string, Operation] {
  const tenant = random.pick([acme, other]);
  const collection = random.pick(some);
  const kind = random.below(10);
  if (kind < 5) {
    const writes = Array.from({ length: 1 + random.below(random.pick([1, 1, 2, 5])) }, () => randomWrite(random, some));
    return [`commit ${JSON.stringify(writes)}`, (storage) => storage.commit(tenant, writes)];
  }
  if (kind < 7) {
    const id = random.pick(randomIds);
    return [`get ${collection} ${id}`, (storage) => storage.get(tenant, collection, id)];
  }
  if (kind < 9) {
    const query = randomQuery(random, collection);
    return [`list ${collection} ${JSON.stringify(query)}`, (storage) => storage.list(tenant, collection, query)];
  }
  const where = randomFilter(random, collection, 0) as never;
  return [
    `scan ${collection} ${JSON.stringify(where)}`,
    async (storage) => {
      const found = await storage.scanAllTenants(collection, where, 1_000);
      return [...found].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
    },
  ];
}

function count(counts: { commits: number; refusals: number; rows: number }, answer: unknown): void {
  if (Array.isArray(answer)) counts.rows += answer.length;
  if (typeof answer !== 'object' || answer === null) return;
  if ('done' in answer) counts.commits += 1;
  if ('done' in answer && answer.done === false) counts.refusals += 1;
  if ('rows' in answer && Array.isArray(answer.rows)) counts.rows += answer.rows.length;
  if ('revision' in answer) counts.rows += 1;
}
