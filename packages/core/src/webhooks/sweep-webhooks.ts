import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../contracts/clock.ts';
import type { Storage, Write } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';

const DAY_MS = 86_400_000;

/** Events that are read, and deleted, at once. */
const BATCH = 100;

/** Delete events of so many days ago, and what became of delivering them, in small steps; how many events. */
export async function sweepWebhooks(storage: Storage, clock: Pick<Clock, 'now'>, keepDays: number): Promise<number> {
  const before = new Date(clock.now() - keepDays * DAY_MS).toISOString();
  let count = 0;
  for (;;) {
    const oldest = await storage.scanAllTenants('webhookEvents', {}, BATCH, 'createdAt');
    const old = oldest.filter(({ row }) => row.createdAt < before);
    const byTenant = new Map<TenantId, Write[]>();
    for (const { tenant, row } of old) {
      const writes: readonly Write[] = [
        { deleteWhere: 'webhookDeliveries', where: { eventId: row.id } },
        { delete: 'webhookEvents', id: row.id },
      ];
      byTenant.set(tenant, [...(byTenant.get(tenant) ?? []), ...writes]);
    }
    // Another server may sweep as well; what it was faster with is gone either way.
    await Promise.all([...byTenant].map(async ([tenant, writes]) => await storage.commit(tenant, writes)));
    count += old.length;
    if (old.length < BATCH) return count;
    await nextTurn();
  }
}
