import { compareCodePoints } from '@patchbay/contracts/base/compare-code-points';
import { storageArguments } from '@patchbay/contracts/base/storage-arguments';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import {
  type Collection,
  type CollectionDescriptor,
  collections,
  type Filter,
  type Rows,
  type SortField,
} from '@patchbay/contracts/rows';
import type { CommitResult, ListQuery, Page, Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

/** A row of any collection. */
type Fields = Readonly<Record<string, unknown>>;

/** The table of collections, for code that works on any of them. */
const descriptors: Readonly<Record<Collection, CollectionDescriptor>> = collections;

interface Kept {
  readonly tenant: TenantId;
  readonly fields: Fields;
}

type Tables = Readonly<Record<Collection, Map<string, Kept>>>;

/**
 * Storage in memory, for tests and for embedding where nothing has to last. **Not durable**: everything is lost when
 * the process ends. The cost of a list grows with the number of rows.
 *
 * Rows are copied in and frozen, so that no caller can change a stored row.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from '@patchbay/core/storage';
 *
 * const storage = createMemoryStorage();
 * ```
 */
export function createMemoryStorage(): Storage {
  const names = Object.keys(collections) as Collection[];
  const tables = Object.fromEntries(names.map((name) => [name, new Map<string, Kept>()])) as unknown as Tables;

  return {
    async get<C extends Collection>(tenant: TenantId, collection: C, id: string) {
      return visible(tables, tenant, collection, id)?.fields as Rows[C] | undefined;
    },

    async list<C extends Collection, F extends keyof Rows[C]>(
      tenant: TenantId,
      collection: C,
      query: ListQuery<C, F>,
    ): Promise<Page<Pick<Rows[C], F>>> {
      storageArguments.list(collection, query);
      const { sort, order, from, limit, offset = 0, after, select } = query;
      const compare = comparison(sort, order);
      const matches = matcher(query.where ?? {});
      const wanted = (row: Fields) => matches(row) && (from === undefined || compareValues(row[sort], from) >= 0);
      const rows = [...tables[collection].values()]
        .filter((kept) => kept.tenant === tenant && wanted(kept.fields))
        .map((kept) => kept.fields)
        .sort(compare);
      const following =
        after === undefined ? rows : rows.filter((row) => compare(row, { id: after.id, [sort]: after.value }) > 0);
      const names = select as readonly string[] | undefined;
      const page = following.slice(offset, offset + limit).map((row) => (names === undefined ? row : pick(row, names)));
      return { rows: page as unknown as Pick<Rows[C], F>[], total: rows.length };
    },

    async commit(tenant, writes): Promise<CommitResult> {
      storageArguments.commit(writes);
      const undo: (() => void)[] = [];
      const undoAll = () => {
        for (const step of undo.reverse()) step();
      };
      try {
        for (const [index, write] of writes.entries()) {
          const reason = apply(tables, tenant, write, undo);
          if (reason === undefined) continue;
          undoAll();
          return { done: false, index, reason };
        }
        return { done: true };
      } catch (error) {
        undoAll();
        throw error;
      }
    },

    async scanAllTenants<C extends Collection>(
      collection: C,
      where: Filter<C>,
      limit: number,
      sort?: SortField<C>,
      heads?: { readonly after?: TenantId },
    ) {
      storageArguments.scan(collection, where, limit, sort, heads);
      const wanted = matcher(where);
      const found = [...tables[collection].values()].filter((kept) => wanted(kept.fields));
      if (sort !== undefined) {
        const compare = comparison(sort, 'asc');
        found.sort((one, other) => compare(one.fields, other.fields));
      }
      const chosen = heads === undefined ? found : firstOfEach(found, heads);
      return chosen.slice(0, limit).map(({ tenant, fields }) => ({ tenant, row: fields as unknown as Rows[C] }));
    },

    async migrate() {
      return [];
    },
  };
}

function firstOfEach(sorted: readonly Kept[], { after }: { readonly after?: TenantId }): readonly Kept[] {
  const first = new Map<TenantId, Kept>();
  for (const kept of sorted) {
    const isWanted = after === undefined || compareCodePoints(kept.tenant, after) > 0;
    if (isWanted && !first.has(kept.tenant)) first.set(kept.tenant, kept);
  }
  return [...first.values()].sort((one, other) => compareCodePoints(one.tenant, other.tenant));
}

/** Apply one write and push what undoes it. Returns the reason if it cannot be applied. */
function apply(
  tables: Tables,
  tenant: TenantId,
  write: Write,
  undo: (() => void)[],
): 'exists' | 'missing' | 'revision' | undefined {
  if ('capability' in write) throw new TypeError(`no capability ${write.capability}`);
  if ('insert' in write) {
    const table = tables[write.insert];
    const fields = frozenFields(write.insert, { ...write.row }, Object.keys(descriptors[write.insert].fields));
    if (table.has(write.row.id) || isTaken(tables, write.insert, fields)) return 'exists';
    put(table, write.row.id, { tenant, fields }, undo);
    return undefined;
  }
  if ('deleteWhere' in write) {
    const wanted = matcher(write.where);
    for (const [id, kept] of tables[write.deleteWhere]) {
      if (kept.tenant === tenant && wanted(kept.fields)) put(tables[write.deleteWhere], id, undefined, undo);
    }
    return undefined;
  }
  const collection = 'update' in write ? write.update : write.delete;
  const kept = visible(tables, tenant, collection, write.id);
  const changes = 'update' in write ? frozenFields(write.update, { ...write.set }, Object.keys(write.set)) : undefined;
  if (kept === undefined) return 'missing';
  const revision = kept.fields['revision'] as number;
  if (write.ifRevision !== undefined && write.ifRevision !== revision) return 'revision';
  if (changes === undefined) {
    put(tables[collection], write.id, undefined, undo);
    return undefined;
  }
  const fields = Object.freeze({ ...kept.fields, ...changes, revision: revision + 1 });
  if (isTaken(tables, collection, fields)) return 'exists';
  put(tables[collection], write.id, { tenant, fields }, undo);
  return undefined;
}

function visible(tables: Tables, tenant: TenantId, collection: Collection, id: string): Kept | undefined {
  const kept = tables[collection].get(id);
  return kept?.tenant === tenant ? kept : undefined;
}

function put(table: Map<string, Kept>, id: string, next: Kept | undefined, undo: (() => void)[]): void {
  const before = table.get(id);
  const set = (kept: Kept | undefined) => (kept === undefined ? table.delete(id) : table.set(id, kept));
  set(next);
  undo.push(() => set(before));
}

function isTaken(tables: Tables, collection: Collection, fields: Fields): boolean {
  const { unique } = descriptors[collection];
  if (unique.length === 0) return false;
  for (const other of tables[collection].values()) {
    if (other.fields['id'] !== fields['id'] && unique.some((field) => other.fields[field] === fields[field])) {
      return true;
    }
  }
  return false;
}

/** Whether a row passes a filter. */
function matcher(where: object): (fields: Fields) => boolean {
  const conditions = Object.entries(where);
  return (fields) => conditions.every(([field, value]) => fields[field] === value);
}

/** The order of a list: by a field, ties by id, in the same direction. */
function comparison(sort: string, order: 'asc' | 'desc'): (a: Fields, b: Fields) => number {
  const direction = order === 'asc' ? 1 : -1;
  return (a, b) => direction * (compareValues(a[sort], b[sort]) || compareValues(a['id'], b['id']));
}

function compareValues(a: unknown, b: unknown): number {
  return typeof a === 'string' && typeof b === 'string' ? compareCodePoints(a, b) : Number(a) - Number(b);
}

function pick(row: Fields, select: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(row).filter(([name]) => select.includes(name)));
}

/** A frozen copy of these fields, whose values `storageArguments` has checked. */
function frozenFields(collection: Collection, values: Fields, names: readonly string[]): Fields {
  const { fields } = descriptors[collection];
  const copied = (name: string): unknown =>
    fields[name]?.startsWith('json') ? deepFrozen(values[name]) : values[name];
  return Object.freeze(Object.fromEntries(names.map((name) => [name, copied(name)])));
}

function deepFrozen(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part) => Object.freeze(part));
}

/** Keeps everything in this process, and nothing beyond it. */
export const memoryStorage = definePlugin({
  name: '@patchbay/core/memory-storage',
  kind: 'storage',
  version: 1,
  config: { properties: {} },
  create: () => createMemoryStorage(),
});
