import type { Filter, Rows } from '@patchbay/contracts/rows';
import type { ListQuery, Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

const PAGE = 100;

/** The totals of all hours from one on, in order, page by page. */
export async function* hourPages<C extends 'usageHours' | 'callHours'>(
  storage: Storage,
  collection: C,
  tenant: TenantId,
  where: Filter<C>,
  from: string,
): AsyncGenerator<Rows[C]> {
  let after: { readonly value: string; readonly id: string } = { value: from, id: '' };
  for (;;) {
    const query = { where, sort: 'hour', order: 'asc', limit: PAGE, after } as ListQuery<C>;
    const found: { readonly rows: readonly unknown[] } = await storage.list(tenant, collection, query);
    const rows = found.rows as readonly (Rows[C] & { readonly hour: string; readonly id: string })[];
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = { value: last.hour, id: last.id };
  }
}
