import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../contracts/clock.ts';
import type { Storage } from '../contracts/storage.ts';

/** Rows that are deleted at once: few enough that no request waits for them. */
const BATCH = 100;

/** Delete the keys that have expired, in steps between which requests are served; how many. */
export async function sweepIdempotencyKeys(storage: Storage, clock: Pick<Clock, 'now'>): Promise<number> {
  const now = new Date(clock.now()).toISOString();
  let count = 0;
  for (;;) {
    const oldest = await storage.scanAllTenants('idempotencyKeys', {}, BATCH, 'expiresAt');
    const expired = oldest.filter(({ row }) => row.expiresAt <= now);
    await Promise.all(
      expired.map(async ({ tenant, row: { id, revision } }) => {
        await storage.commit(tenant, [{ delete: 'idempotencyKeys', id, ifRevision: revision }]);
      }),
    );
    count += expired.length;
    if (expired.length < BATCH) return count;
    await nextTurn();
  }
}
