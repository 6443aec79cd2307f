import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../contracts/clock.ts';
import type { Storage, Write } from '../../contracts/storage.ts';
import type { TenantId } from '../../contracts/tenant.ts';
import { hasEnded } from './execution-states.ts';

const DAY_MS = 86_400_000;

/** How many are read at once; each can have documents of some MiB. */
const BATCH = 20;

/** Delete executions that ended, and were made so many days ago, in small steps; how many. */
export async function sweepExecutions(storage: Storage, clock: Pick<Clock, 'now'>, keepDays: number): Promise<number> {
  const before = new Date(clock.now() - keepDays * DAY_MS).toISOString();
  let count = 0;
  for (;;) {
    const oldest = await storage.scanAllTenants('executions', {}, BATCH, 'createdAt');
    const old = oldest.filter(({ row }) => row.createdAt < before);
    const over = old.filter(({ row }) => hasEnded(row));
    const byTenant = new Map<TenantId, Write[]>();
    for (const { tenant, row } of over) {
      byTenant.set(tenant, [...(byTenant.get(tenant) ?? []), { delete: 'executions', id: row.id }]);
    }
    // Another server may sweep as well; what it was faster with is gone either way.
    await Promise.all([...byTenant].map(async ([tenant, writes]) => await storage.commit(tenant, writes)));
    count += over.length;
    if (over.length === 0 || old.length < BATCH) return count;
    await nextTurn();
  }
}
