import { setImmediate as nextTurn } from 'node:timers/promises';
import { deleteOldest } from '../base/delete-oldest.ts';
import type { Clock } from '../contracts/clock.ts';
import type { CallRecordRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';

const DAY_MS = 86_400_000;
const PAGE = 100;

/** Delete the records that are too old, and the oldest of tenants that have too many, in steps; how many. */
export async function sweepCallRecords(
  storage: Storage,
  clock: Pick<Clock, 'now'>,
  { keepDays, maxBytes }: { readonly keepDays: number; readonly maxBytes: number },
): Promise<number> {
  const before = new Date(clock.now() - keepDays * DAY_MS).toISOString();
  const isOld = ({ createdAt }: CallRecordRow) => createdAt < before;
  let count = await deleteOldest(storage, { collection: 'callRecords', sort: 'createdAt' }, isOld, ({ id }) => [
    { delete: 'callRecords', id },
  ]);
  for await (const tenant of recordedTenants(storage)) count += await deleteExcess(storage, tenant, maxBytes);
  return count;
}

async function* recordedTenants(storage: Storage): AsyncGenerator<TenantId, void> {
  let heads: { readonly after?: TenantId } = {};
  for (;;) {
    const found = await storage.scanAllTenants('callRecords', {}, PAGE, 'createdAt', heads);
    for (const { tenant } of found) yield tenant;
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    heads = { after: last.tenant };
  }
}

/** The size is that of the newest records times the number of all: a storage counts rows, and does not measure them. */
async function deleteExcess(storage: Storage, tenant: TenantId, maxBytes: number): Promise<number> {
  const query = { sort: 'createdAt', limit: PAGE } as const;
  const newest = await storage.list(tenant, 'callRecords', { ...query, order: 'desc' });
  const bytes = newest.rows.reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)), 0);
  const kept = Math.floor((maxBytes * newest.rows.length) / bytes);
  let count = 0;
  while (newest.total - count > kept) {
    const limit = Math.min(PAGE, newest.total - count - kept);
    const { rows } = await storage.list(tenant, 'callRecords', { ...query, order: 'asc', limit, select: ['id'] });
    if (rows.length === 0) break;
    const { done } = await storage.commit(
      tenant,
      rows.map(({ id }) => ({ delete: 'callRecords', id })),
    );
    // Another server does the same.
    if (!done) break;
    count += rows.length;
    await nextTurn();
  }
  return count;
}
