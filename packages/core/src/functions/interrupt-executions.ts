import { timestamp } from '../app/timestamp.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Storage } from '../contracts/storage.ts';

/**
 * Close the executions that a host, which did not stop in order, left `running`. Called before the first request, so
 * that nothing found here can still be under way.
 *
 * @returns how many there were
 */
export async function interruptExecutions(storage: Storage, clock: Clock): Promise<number> {
  let count = 0;
  for (;;) {
    const found = await storage.scanAllTenants('executions', { status: 'running' }, 500);
    if (found.length === 0) return count;
    for (const { tenant, row } of found) {
      const error = { code: 'interrupted', message: 'the server stopped before the function finished' };
      const set = { status: 'interrupted', error, completedAt: timestamp(clock) } as const;
      await storage.commit(tenant, [{ update: 'executions', id: row.id, set, ifRevision: row.revision }]);
    }
    count += found.length;
  }
}
