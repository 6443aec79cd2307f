import type { Queue } from '@patchbay/core/plugin';
import type { Storage } from '@patchbay/core/storage';

/** How many are read at once; each has a payload of 64 KiB at most. */
const BATCH = 100;

/**
 * Move the jobs that the built-in queue has left in the storage: whoever changes the queue in the config loses none. Each
 * is moved in one commit, so that two servers that start at once move it once. The attempts begin anew.
 *
 * @returns how many were moved
 */
export async function takeOver(storage: Storage, queue: Pick<Queue, 'write'>, now: number): Promise<number> {
  let moved = 0;
  for (;;) {
    const found = await storage.scanAllTenants('jobs', { state: 'waiting' }, BATCH);
    for (const { tenant, row } of found) {
      const { id, topic, payload, dedupeKey, revision } = row;
      const leave = { delete: 'jobs', id, ifRevision: revision } as const;
      const delayMs = Math.max(0, Date.parse(row.dueAt) - now);
      const job = { topic, payload, delayMs, ...(dedupeKey !== null && { dedupeKey }) };
      const result = await storage.commit(tenant, [leave, queue.write(tenant, job)]);
      if (result.done) moved += 1;
      // Another one with its key waits here already.
      else if (result.reason === 'exists') await storage.commit(tenant, [leave]);
    }
    if (found.length < BATCH) return moved;
  }
}
