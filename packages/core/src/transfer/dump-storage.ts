import { type Collection, collections, type Row, type Rows, type SortField } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';

/** A row of a dump, and whose it is. */
export type DumpedRow = {
  readonly [C in Collection]: { readonly collection: C; readonly tenant: TenantId; readonly row: Rows[C] };
}[Collection];

/** Functions with their versions and settings. */
export const functionCollections = [
  'functions',
  'functionVersions',
  'functionSettings',
  'settingsVersions',
] as const satisfies readonly Collection[];

/** Everything but what is true of running servers only. */
export const allCollections = (Object.keys(collections) as Collection[]).filter((name) => name !== 'instances');

const PAGE = 100;

/**
 * Every row of these tenants and collections. What is changed meanwhile may be in it as it was before or after; what is
 * written by nobody meanwhile is in it exactly once.
 */
export async function* dumpStorage(
  storage: Storage,
  tenants: readonly TenantId[],
  names: readonly Collection[],
): AsyncGenerator<DumpedRow> {
  for (const tenant of tenants) {
    for (const collection of names) yield* dumpCollection(storage, tenant, collection);
  }
}

async function* dumpCollection<C extends Collection>(
  storage: Storage,
  tenant: TenantId,
  collection: C,
): AsyncGenerator<DumpedRow> {
  const sort = collections[collection].sort[0] as SortField<C>;
  let after: { readonly value: string | number; readonly id: string } | undefined;
  for (;;) {
    const { rows } = await storage.list(tenant, collection, {
      sort,
      order: 'asc',
      limit: PAGE,
      ...(after && { after }),
    });
    for (const row of rows) yield { collection, tenant, row } as unknown as DumpedRow;
    const last = rows.at(-1) as unknown as (Row & Readonly<Record<SortField<C>, string | number>>) | undefined;
    if (rows.length < PAGE || last === undefined) return;
    after = { value: last[sort], id: last.id };
  }
}
