import type { Collection, SortField } from '../rows.ts';
import type { Storage } from '../storage.ts';
import type { TenantId } from '../tenant.ts';

const PAGE = 100;

/**
 * The tenants with rows of a collection, by code point, without reading more than one row of each.
 *
 * @param sort A field whose lists are indexed by tenant: any that the collection can be sorted by.
 * @param after Begin after this tenant.
 */
export async function* tenantsOf<C extends Collection>(
  storage: Pick<Storage, 'scanAllTenants'>,
  collection: C,
  sort: SortField<C>,
  after?: TenantId,
): AsyncGenerator<TenantId, void> {
  let heads: { readonly after?: TenantId } = after === undefined ? {} : { after };
  for (;;) {
    const found = await storage.scanAllTenants(collection, {}, PAGE, sort, heads);
    for (const { tenant } of found) yield tenant;
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    heads = { after: last.tenant };
  }
}
