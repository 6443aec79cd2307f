import type { JsonValue } from '@patchbay/core/plugin';
import { type Collection, collections, type FieldType, type Write } from '@patchbay/core/storage';
import type { Random } from './random.ts';
import { fieldTypes, insertion, timeAt } from './sample-rows.ts';

export const randomIds = Array.from({ length: 12 }, (_, index) => `id_${index}`);

/** A change of one of these collections. Ids and values are so few that changes often collide. */
export function randomWrite(random: Random, some: readonly Collection[]): Write {
  const collection = random.pick(some);
  const id = random.pick(randomIds);
  const guard = random.below(3) === 0 ? { ifRevision: 1 + random.below(3) } : {};
  const kind = random.below(8);
  if (kind < 3) return insertion(collection, id, randomFields(random, collection));
  if (kind < 6) return { update: collection, id, set: randomFields(random, collection), ...guard } as Write;
  if (kind < 7) return { delete: collection, id, ...guard } as Write;
  return { deleteWhere: collection, where: randomFilter(random, collection, 1) } as Write;
}

export function randomFilter(random: Random, collection: Collection, least: number): object {
  const names: readonly string[] = collections[collection].filter;
  const chosen = names.filter(() => random.below(3) === 0);
  const enough = chosen.length >= Math.min(least, names.length) ? chosen : names.slice(0, least);
  return Object.fromEntries(enough.map((name) => [name, randomValue(random, collection, name)]));
}

/** A page of a list, by offset or after a cursor. */
export function randomQuery(random: Random, collection: Collection) {
  const sort = random.pick<string>(collections[collection].sort);
  return {
    sort: sort as never,
    order: random.pick(['asc', 'desc'] as const),
    where: randomFilter(random, collection, 0) as never,
    limit: 1 + random.below(6),
    ...(random.below(4) === 0 && { from: randomValue(random, collection, sort) }),
    ...(random.below(2) === 0
      ? { offset: random.below(4) }
      : { after: { value: randomValue(random, collection, sort), id: random.pick(randomIds) } }),
  };
}

/** Values for some random fields: one of a few where lists sort or filter by the field, of all kinds elsewhere. */
function randomFields(random: Random, collection: Collection): object {
  const { sort, filter }: { sort: readonly string[]; filter: readonly string[] } = collections[collection];
  const asked = new Set([...sort, ...filter]);
  const names = Object.keys(fieldTypes(collection)).filter((name) => name !== 'id' && name !== 'revision');
  const chosen = names.filter((name) => random.below(asked.has(name) ? 2 : 6) === 0);
  return Object.fromEntries(
    chosen.map((name) => [
      name,
      asked.has(name) ? randomValue(random, collection, name) : anyValue(random, fieldTypes(collection)[name]),
    ]),
  );
}

function randomValue(random: Random, collection: Collection, name: string): string | number {
  const type = fieldTypes(collection)[name];
  if (type?.startsWith('integer') === true) return random.below(3);
  if (type?.startsWith('time') === true) return timeAt(random.below(3));
  return name === 'lookupId' ? `lookup_${random.below(9)}` : random.pick(['a', 'b', '😀', '\uffee', 'a\0', '\x01']);
}

function anyValue(random: Random, type: FieldType | undefined): JsonValue {
  if (type?.endsWith('?') === true && random.below(3) === 0) return null;
  if (type?.startsWith('integer') === true) return random.pick([0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER]);
  if (type?.startsWith('boolean') === true) return random.below(2) === 0;
  if (type?.startsWith('time') === true) return timeAt(random.below(1_000_000_000));
  return type?.startsWith('json') === true ? randomDocument(random, 3) : randomText(random);
}

function randomText(random: Random): string {
  const parts = ['', 'a', ' ', '\0', '\x01', '\x02', '\\u0000', "'", '"', '%', 'é', '漢', '😀', '\n', '$1', '?'];
  return Array.from({ length: random.below(6) }, () => random.pick(parts)).join('');
}

function randomDocument(random: Random, depth: number): JsonValue {
  const kind = random.below(depth === 0 ? 4 : 6);
  if (kind === 0) return random.pick([0, 1.5, -1e-7, 1e300, 9_007_199_254_740_991]);
  if (kind === 1) return random.pick([true, false, null]);
  if (kind < 4) return randomText(random) + random.pick(['', '\ud800', '\udfff']);
  const parts = Array.from({ length: random.below(4) }, () => randomDocument(random, depth - 1));
  if (kind === 4) return parts;
  return Object.fromEntries(parts.map((part) => [randomText(random), part]));
}
