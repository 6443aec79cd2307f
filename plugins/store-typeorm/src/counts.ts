import type { TenantId } from '@patchbay/core/plugin';
import type { Collection, Filter, Write } from '@patchbay/core/storage';
import type { Statement } from './statement.ts';
import { tables } from './tables.ts';
import type { WriteStatements } from './write-statements.ts';

/** So many rows more, or fewer, behind one counter. An empty field stands for all rows of the tenant. */
export interface CountChange {
  readonly tenant: TenantId;
  readonly collection: Collection;
  readonly field: string;
  readonly value: string;
  readonly change: number;
}

/** What `rows` rows more of a collection, with these values of its counted fields, do to the counters. */
export function countChanges(
  tenant: TenantId,
  collection: Collection,
  values: readonly unknown[],
  rows: number,
): readonly CountChange[] {
  const changes: CountChange[] = [{ tenant, collection, field: '', value: '', change: rows }];
  tables[collection].counted.forEach((field, index) => {
    changes.push({ tenant, collection, field, value: String(values[index]), change: rows });
  });
  return changes;
}

/** The values of the counted fields, out of an object that may hold them. */
export function countedValues(collection: Collection, fields: object): readonly unknown[] {
  const values = fields as Readonly<Record<string, unknown>>;
  return tables[collection].counted.map((field) => values[field]);
}

/** Whether a filter names every counted field, so that all rows that match have the same values of them. */
export function tellsCounted(collection: Collection, where: Filter<Collection>): boolean {
  return tables[collection].counted.every((field) => Object.hasOwn(where, field));
}

/** Whether a write is one of those that no counter has to follow. */
export function changesNoCount(write: Write): boolean {
  if ('statement' in write) return true;
  return 'update' in write && !tables[write.update].counted.some((field) => Object.hasOwn(write.set, field));
}

/**
 * The statements that bring the counters up to date: the last ones before a transaction commits, so that it holds the
 * lock on a counter as shortly as possible, and in one order, so that two transactions cannot wait for each other.
 */
export function countStatements(statements: WriteStatements, changes: readonly CountChange[]): readonly Statement[] {
  const sums = new Map<string, CountChange>();
  for (const change of changes) {
    const key = `${change.tenant}\n${change.collection}\n${change.field}\n${change.value}`;
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? change : { ...sum, change: sum.change + change.change });
  }
  return [...sums]
    .filter(([, { change }]) => change !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { tenant, collection, field, value, change }]) => {
      const add = statements.addToCounter(tenant, collection, field, value, change);
      // Values of a counted field come and go; those without rows would pile up.
      const shrinks = field !== '' && change < 0;
      return shrinks ? [add, statements.removeEmptyCounter(tenant, collection, field, value)] : [add];
    });
}
