import type { CollectionDescriptor } from '@patchbay/core/storage';
import { type Collection, collections, type FieldType, type FilterField } from '@patchbay/core/storage';

/** One field and the column that keeps it. */
export interface Column {
  readonly field: string;
  readonly name: string;
  readonly type: FieldType;
}

interface TableIndex {
  readonly name: string;
  readonly columns: readonly string[];
  /** Rows that have no value in the first column are not in it. */
  readonly sparse: boolean;
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
// asked for of one webhook, among whose they are found.
const indexedSorts: Partial<Record<Collection, Readonly<Record<string, readonly string[]>>>> = {
  executions: { owner: [] },
  functions: { name: [], key: ['createdAt'] },
  schedules: { functionId: ['createdAt'] },
  webhookDeliveries: { webhookId: ['createdAt'], eventId: ['createdAt'], state: [], lane: ['dueAt'] },
};

/** Filters that few rows have a value of: the index of the others would cost every row. */
const sparse: { readonly [C in Collection]?: readonly FilterField<C>[] } = {
  executions: ['scheduleId', 'deadLetter'],
};

/** Table of the counters. */
export const countsTable = 'counts';

/** The table of each collection. */
export const tables = Object.fromEntries(
  Object.keys(collections).map((collection) => [collection, table(collection as Collection)]),
) as Readonly<Record<Collection, CollectionTable>>;

function table(collection: Collection): CollectionTable {
  const { fields, sort, filter, combined = [], unique, scan }: CollectionDescriptor = collections[collection];
  const columns = Object.entries(fields).map(([field, type]) => ({ field, name: snakeCase(field), type }));
  const name = snakeCase(collection);
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
      ...sort.map((by) => index(name, ['tenant', by, 'id'])),
      // The filtered field comes before the tenant, so that one index serves `list` and `scanAllTenants`.
      ...filter
        .filter((field) => ![...unique, ...(scan?.where ?? [])].includes(field))
        .flatMap((field) => {
          const sorts = indexedSorts[collection]?.[field] ?? sort.filter((by) => by !== field);
          const isSparse = (sparse[collection] as readonly string[] | undefined)?.includes(field) ?? false;
          return sorts.map((by) => index(name, [field, 'tenant', by, 'id'], isSparse));
        }),
      ...combined.flatMap((fields) => sort.map((by) => index(name, [...fields, 'tenant', by, 'id']))),
      ...(scan === undefined ? [] : [index(name, [...scan.where, scan.sort, 'id'])]),
      ...(scan?.heads === true ? [index(name, [...scan.where, 'tenant', scan.sort, 'id'])] : []),
    ],
  };
}

function index(table: string, fields: readonly string[], sparse = false): TableIndex {
  const columns = fields.map(snakeCase);
  return { name: ['ix', table, ...columns].join('_'), columns, sparse };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
