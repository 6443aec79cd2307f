import type { CollectionDescriptor } from '@patchbay/core/storage';
import { type Collection, collections, type FieldType, type FilterField } from '@patchbay/core/storage';

/** One field and the column that keeps it. */
export interface Column {
  readonly field: string;
  readonly name: string;
  readonly type: FieldType;
  /** Rows with the empty text are in none of the indexes that begin with it. */
  readonly isFilled: boolean;
}

interface TableIndex {
  readonly name: string;
  readonly columns: readonly string[];
  /** The condition that its rows meet, where it does not have all. */
  readonly where: string | undefined;
}

/** How a collection is kept. Every table has a column `tenant` beside those of the fields. */
export interface CollectionTable {
  readonly collection: Collection;
  readonly name: string;
  /** In the order of the fields of the collection. The order on disk is that of the migrations. */
  readonly columns: readonly Column[];
  readonly column: ReadonlyMap<string, Column>;
  readonly unique: ReadonlySet<string>;
  /** Filters whose number of rows is kept in `counts`; the number of all rows of a tenant always is. */
  readonly counted: readonly string[];
  /** Where the values of these are among the parameters of an insert. */
  readonly countedPlaces: readonly number[];
  readonly indexes: readonly TableIndex[];
}

// A filter belongs here when a list by it can match many rows: counting costs as much as there are rows.
const counted: { readonly [C in Collection]?: readonly FilterField<C>[] } = {
  functionVersions: ['functionId'],
  settingsVersions: ['functionId'],
  experiments: ['functionId'],
  datasetExamples: ['functionId'],
  executions: ['functionId', 'status', 'scheduleId'],
  auditEntries: ['action'],
  feedback: ['functionId'],
  webhookDeliveries: ['webhookId', 'lane'],
};

// Filters that are not indexed for every sort. Few executions run at a time, so those of one owner are found among
// them; functions of one name are found by the index that sorts by it, and few share a key. Deliveries in one state are
// requested for one webhook, and found among its deliveries.
const indexedSorts: Partial<Record<Collection, Readonly<Record<string, readonly string[]>>>> = {
  executions: { owner: [] },
  functions: { name: [], key: ['createdAt'] },
  schedules: { functionId: ['createdAt'] },
  webhookDeliveries: { webhookId: ['createdAt'], eventId: ['createdAt'], state: [], lane: ['dueAt'] },
};

/**
 * Filters for which many rows have no value, which is null, or the empty string if a field cannot be null: an index of
 * these rows would cost every row.
 */
const sparse: { readonly [C in Collection]?: readonly FilterField<C>[] } = {
  executions: ['scheduleId', 'deadLetter'],
  callRecords: ['functionId'],
};

/** Table of the counters. */
export const countsTable = 'counts';

/** The table of each collection. */
export const tables = Object.fromEntries(
  Object.keys(collections).map((collection) => [collection, table(collection as Collection)]),
) as Readonly<Record<Collection, CollectionTable>>;

function table(collection: Collection): CollectionTable {
  const { fields, sort, filter, combined = [], unique, scan }: CollectionDescriptor = collections[collection];
  const isSparse = (field: string): boolean => sparse[collection]?.some((each) => each === field) ?? false;
  const columns = Object.entries(fields).map(([field, type]): Column => {
    return { field, name: snakeCase(field), type, isFilled: isSparse(field) && type === 'string' };
  });
  const name = snakeCase(collection);
  const index = (by: readonly string[]): TableIndex => {
    const names = by.map(snakeCase);
    const condition = `"${names[0]}" ${fields[by[0] ?? ''] === 'string' ? "<> ''" : 'IS NOT NULL'}`;
    return {
      name: ['ix', name, ...names].join('_'),
      columns: names,
      where: isSparse(by[0] ?? '') ? condition : undefined,
    };
  };
  return {
    collection,
    name,
    columns,
    column: new Map(columns.map((column) => [column.field, column])),
    unique: new Set(unique),
    counted: counted[collection] ?? [],
    // The first parameter is the tenant.
    countedPlaces: (counted[collection] ?? []).map((field) => 1 + Object.keys(fields).indexOf(field)),
    indexes: [
      ...sort.map((by) => index(['tenant', by, 'id'])),
      // The filtered field comes before the tenant, so that one index serves `list` and `scanAllTenants`.
      ...filter
        .filter((field) => ![...unique, ...(scan?.where ?? [])].includes(field))
        .flatMap((field) => {
          const sorts = indexedSorts[collection]?.[field] ?? sort.filter((by) => by !== field);
          return sorts.map((by) => index([field, 'tenant', by, 'id']));
        }),
      ...combined.flatMap((fields) => sort.map((by) => index([...fields, 'tenant', by, 'id']))),
      ...(scan === undefined ? [] : [index([...scan.where, scan.sort, 'id'])]),
      ...(scan?.heads === true ? [index([...scan.where, 'tenant', scan.sort, 'id'])] : []),
    ],
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
