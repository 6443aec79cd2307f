import { setImmediate } from 'node:timers/promises';
import { type Collection, collections, type Row, type Rows, type SortField } from '../rows.ts';
import type { Storage } from '../storage.ts';
import type { TenantId } from '../tenant.ts';

/**
 * Every row of a collection of a tenant, page by page over several turns of the event loop. A row that changes meanwhile
 * appears as it was before or after; one that does not change appears exactly once.
 */
export async function* everyRow<C extends Collection>(
  storage: Pick<Storage, 'list'>,
  tenant: TenantId,
  collection: C,
  limit: number,
): AsyncGenerator<Rows[C]> {
  const sort = collections[collection].sort[0] as SortField<C>;
  let after: { readonly value: string | number; readonly id: string } | undefined;
  for (;;) {
    const { rows } = await storage.list(tenant, collection, { sort, order: 'asc', limit, ...(after && { after }) });
    yield* rows as readonly Rows[C][];
    const last = rows.at(-1) as unknown as (Row & Readonly<Record<SortField<C>, string | number>>) | undefined;
    if (rows.length < limit || last === undefined) return;
    after = { value: last[sort], id: last.id };
    await setImmediate();
  }
}
