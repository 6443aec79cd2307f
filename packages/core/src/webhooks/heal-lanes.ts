import { laneJob, laneTopic } from '../events/webhook-jobs.ts';
import { isAlarmLost, isFree } from './lane-hold.ts';
import type { LaneParts } from './lane-parts.ts';

const EVERYTHING = Number.MAX_SAFE_INTEGER;

/**
 * Have lanes looked into whose jobs are gone for good, because the queue was changed for another one, or the storage was put
 * back to an older state; how many. Jobs that are there all the same come in vain, and do no harm.
 */
export async function healLanes(parts: Pick<LaneParts, 'storage' | 'queue' | 'clock'>): Promise<number> {
  const { storage, queue, clock } = parts;
  const now = clock.now();
  const lanes = await storage.scanAllTenants('webhookLanes', {}, EVERYTHING);
  const lost = lanes.filter(({ row }) => (row.run !== null && isFree(row, now)) || isAlarmLost(row, now));
  await Promise.all(
    lost.map(async ({ tenant, row }) => await storage.commit(tenant, [queue.write(tenant, laneJob(row.id))])),
  );
  if (lost.length > 0) queue.notify(laneTopic);
  return lost.length;
}
