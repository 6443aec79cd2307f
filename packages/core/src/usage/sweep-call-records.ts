import { setImmediate as nextTurn } from 'node:timers/promises';
import { tenantsOf } from '@patchbay/contracts/base/tenants-of';
import type { Clock } from '@patchbay/contracts/clock';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

const DAY_MS = 86_400_000;
const PAGE = 100;

/** Which records are kept: those from a time on, up to about a number of bytes per tenant. */
interface Kept {
  readonly from: string;
  readonly maxBytes: number;
}

/** Delete the records that are too old, and the oldest of tenants that have too many, in steps, and return how many. */
export async function sweepCallRecords(
  storage: Storage,
  clock: Pick<Clock, 'now'>,
  { keepDays, maxBytes }: { readonly keepDays: number; readonly maxBytes: number },
): Promise<number> {
  const kept = { from: new Date(clock.now() - keepDays * DAY_MS).toISOString(), maxBytes };
  let count = 0;
  // Tenant by tenant, through the index of their lists: another index over all tenants would be written with every
  // call.
  for await (const tenant of tenantsOf(storage, 'callRecords', 'createdAt')) {
    count += await sweepTenant(storage, tenant, kept);
  }
  return count;
}

async function sweepTenant(storage: Storage, tenant: TenantId, { from, maxBytes }: Kept): Promise<number> {
  const query = { sort: 'createdAt', limit: PAGE } as const;
  const newest = await storage.list(tenant, 'callRecords', { ...query, order: 'desc' });
  // A storage counts rows, but does not measure them: the size is estimated as that of the newest times the number of
  // all.
  const bytes = newest.rows.reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)), 0);
  const most = Math.floor((maxBytes * newest.rows.length) / bytes);
  for (let count = 0; ; await nextTurn()) {
    const oldest = await storage.list(tenant, 'callRecords', { ...query, order: 'asc', select: ['id', 'createdAt'] });
    const excess = oldest.total - most;
    const leaving = oldest.rows.filter(({ createdAt }, place) => createdAt < from || place < excess);
    if (leaving.length === 0) return count;
    const { done } = await storage.commit(
      tenant,
      leaving.map(({ id }) => ({ delete: 'callRecords', id })),
    );
    // Another server does the same.
    if (!done) return count;
    count += leaving.length;
  }
}
