import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../contracts/clock.ts';
import type { Storage } from '../contracts/storage.ts';

const BATCH = 100;
const DAY_MS = 86_400_000;

/** Delete the entries of single calls that are old enough, in steps; how many. The sums of hours stay. */
export async function sweepUsage(storage: Storage, clock: Pick<Clock, 'now'>, retentionDays: number): Promise<number> {
  const before = new Date(clock.now() - retentionDays * DAY_MS).toISOString();
  let count = 0;
  for (;;) {
    const oldest = await storage.scanAllTenants('usageEntries', {}, BATCH, 'createdAt');
    const old = oldest.filter(({ row }) => row.createdAt < before);
    await Promise.all(
      old.map(async ({ tenant, row }) => await storage.commit(tenant, [{ delete: 'usageEntries', id: row.id }])),
    );
    count += old.length;
    if (old.length < BATCH) return count;
    await nextTurn();
  }
}
