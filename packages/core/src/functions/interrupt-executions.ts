import { timestamp } from '../app/timestamp.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Storage } from '../contracts/storage.ts';

/** How many are read at once; each can have documents of some MiB. */
const BATCH = 100;

/**
 * Close the executions that a host, which did not stop in order, left `running`. Called before the first request, so
 * that nothing of this host can be among them. What another host on the same storage is running is closed as well; it
 * writes down the true end when it gets there.
 *
 * @returns how many there were
 */
export async function interruptExecutions(storage: Storage, clock: Clock): Promise<number> {
  const error = { code: 'interrupted', message: 'the server stopped before the function finished' };
  let count = 0;
  for (;;) {
    const found = await storage.scanAllTenants('executions', { status: 'running' }, BATCH);
    const closing = found.map(async ({ tenant, row }) => {
      const set = { status: 'interrupted', error, completedAt: timestamp(clock) } as const;
      return await storage.commit(tenant, [{ update: 'executions', id: row.id, set, ifRevision: row.revision }]);
    });
    count += (await Promise.all(closing)).filter(({ done }) => done).length;
    // Not until there are none: a busy host beside this one starts new ones all the time.
    if (found.length < BATCH) return count;
  }
}
