import { PatchbayError } from '../errors.ts';
import {
  type Collection,
  type CollectionDescriptor,
  collections,
  type FieldType,
  type Filter,
  type Rows,
  type SortField,
} from '../rows.ts';
import type { ListQuery, Write } from '../storage.ts';
import type { TenantId } from '../tenant.ts';

const descriptors: Readonly<Record<Collection, CollectionDescriptor>> = collections;

const isString = (value: unknown): boolean => typeof value === 'string';

const plainChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  json: (value) => value !== undefined,
};

/** Whether a value is of a type. */
function typeCheck(type: FieldType): (value: unknown) => boolean {
  if (!type.endsWith('?')) return plainChecks[type] ?? isString;
  const fits = plainChecks[type.slice(0, -1)] ?? isString;
  return (value) => value === null || fits(value);
}

interface FieldCheck {
  readonly name: string;
  readonly type: FieldType;
  readonly fits: (value: unknown) => boolean;
}

/** The checks of a collection. */
interface CollectionChecks {
  readonly list: readonly FieldCheck[];
  readonly byName: ReadonlyMap<string, FieldCheck>;
}

/** Prepared once: rows are written with every request. */
const checksOf = Object.fromEntries(
  Object.entries(descriptors).map(([collection, { fields }]) => {
    const list = Object.entries(fields).map(([name, type]) => ({ name, type, fits: typeCheck(type) }));
    return [collection, { list, byName: new Map(list.map((check) => [check.name, check])) }];
  }),
) as unknown as Readonly<Record<Collection, CollectionChecks>>;

/**
 * Validates the arguments of storage methods according to the contract: bounds, names of fields and types of values.
 * Call `list`, `commit` and `scan` (for `scanAllTenants`) first in the method.
 * Types cannot guarantee all of it, and an unchecked name would become part of a database statement.
 *
 * @throws TypeError or RangeError that names the argument: a fault of the calling code.
 *
 * @example
 * ```ts
 * import { type Storage, storageArguments } from '@patchbay/core/storage';
 *
 * declare const database: Pick<Storage, 'commit'>;
 *
 * export const commit: Storage['commit'] = async (tenant, writes) => {
 *   storageArguments.commit(writes);
 *   return await database.commit(tenant, writes);
 * };
 * ```
 */
export const storageArguments = {
  list<C extends Collection, F extends keyof Rows[C]>(collection: C, query: ListQuery<C, F>): void {
    const { where = {}, sort, limit, offset = 0, after, select = [] } = query;
    checkInteger('limit', limit, 1, 100);
    checkInteger('offset', offset, 0, 10_000);
    if (after !== undefined && offset > 0)
      throw new TypeError('a page starts at an offset or after a cursor, not both');
    checkSort(collection, sort);
    checkWhere(collection, where);
    for (const name of select) checkOf(collection, String(name));
  },

  /** @param capabilities Those of the storage. */
  commit(writes: readonly Write[], capabilities: readonly string[] = []): void {
    if (writes.length < 1 || writes.length > 1_000) throw new RangeError('a commit has 1 to 1,000 writes');
    for (const write of writes) checkWrite(write, capabilities);
  },

  scan<C extends Collection>(
    collection: C,
    where: Filter<C>,
    limit: number,
    sort?: SortField<C>,
    heads?: { readonly after?: TenantId },
  ): void {
    checkInteger('limit', limit, 1, Number.MAX_SAFE_INTEGER);
    checkWhere(collection, where);
    if (sort !== undefined) checkSort(collection, sort);
    else if (heads !== undefined) throw new TypeError('the first row of each tenant needs an order');
  },
} as const;

function checkWrite(write: Write, capabilities: readonly string[]): void {
  if ('capability' in write) {
    if (!capabilities.includes(write.capability)) throw new TypeError(`no capability ${write.capability}`);
    return;
  }
  if ('insert' in write) {
    const row = write.row as unknown as Readonly<Record<string, unknown>>;
    const { list } = checksOf[write.insert];
    // By index: rows of more than twenty fields come with every request, and an iterator allocates for each.
    for (let index = 0; index < list.length; index += 1) {
      const { name, type, fits } = list[index] as FieldCheck;
      if (!fits(row[name])) throw mistyped(name, type);
    }
  } else if ('deleteWhere' in write) {
    checkWhere(write.deleteWhere, write.where);
  } else if ('update' in write) {
    const set = write.set as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(set)) {
      if (name === 'id' || name === 'revision') {
        throw new TypeError(`the field ${name} of ${write.update} cannot be set`);
      }
      const { type, fits } = checkOf(write.update, name);
      if (!fits(set[name])) throw mistyped(name, type);
    }
  }
}

/** A condition without a value is rejected: ignoring it would match more rows. */
function checkWhere(collection: Collection, where: object): void {
  for (const [field, value] of Object.entries(where)) {
    if (!descriptors[collection].filter.includes(field)) {
      throw new TypeError(`${collection} cannot be filtered by ${field}`);
    }
    if (value === undefined) throw new TypeError(`the filter ${field} of ${collection} has no value`);
  }
}

function checkSort(collection: Collection, field: string): void {
  if (!descriptors[collection].sort.includes(field)) throw new TypeError(`${collection} cannot be sorted by ${field}`);
}

function mistyped(name: string, type: FieldType): TypeError {
  return new TypeError(`the field ${name} must be of type ${type}`);
}

function checkOf(collection: Collection, name: string): FieldCheck {
  const check = checksOf[collection].byName.get(name);
  if (check === undefined) throw new TypeError(`${collection} has no field ${name}`);
  return check;
}

function checkInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} must be an integer from ${least} to ${most}`);
}

/** Whether a storage rejected its arguments, and would again. Otherwise it is unavailable, and may accept them later. */
export function isRejectedByStorage(error: unknown): boolean {
  return !PatchbayError.is(error);
}
