import type { UsageHourRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';

const PAGE = 100;

/** The sums of all hours from one on, in order, page by page. */
export async function* hourPages(
  storage: Storage,
  tenant: TenantId,
  where: { readonly keyId?: string },
  from: string,
): AsyncGenerator<UsageHourRow> {
  let after: { readonly value: string; readonly id: string } = { value: from, id: '' };
  for (;;) {
    const { rows } = await storage.list(tenant, 'usageHours', {
      where,
      sort: 'hour',
      order: 'asc',
      limit: PAGE,
      after,
    });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = { value: last.hour, id: last.id };
  }
}
