import { timestamp } from '../base/clock.ts';
import { newId } from '../base/type-id.ts';
import type { CommitResult, Write } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { laneJob, laneTopic } from '../events/webhook-jobs.ts';
import { holdFrom, isFree } from './lane-hold.ts';
import type { LaneStorage } from './lane-parts.ts';

/** How often a wake is tried against others that change the same lane. */
const ATTEMPTS = 50;

/**
 * Put deliveries on the way to a webhook, and see to it that somebody takes care of them: a job of the lane, which is
 * there already or comes with this commit. Whoever calls this has to be called again after a crash, and then passes on
 * what is not there yet.
 *
 * @returns what the storage refused of `writes`; done also where the webhook is gone.
 */
export async function wakeLane(
  parts: LaneStorage,
  tenant: TenantId,
  webhookId: string,
  writes: readonly Write[],
): Promise<CommitResult> {
  const { storage, queue, clock, pokes } = parts;
  let left = writes;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const lane = await storage.get(tenant, 'webhookLanes', webhookId);
    if (lane === undefined) return { done: true };
    const wokenAt = timestamp(clock);
    if (isFree(lane, clock.now())) {
      const run = newId('run');
      const claim = {
        update: 'webhookLanes',
        id: webhookId,
        set: { run, heldUntil: holdFrom(clock.now()), wokenAt },
        ifRevision: lane.revision,
      } as const;
      const result = await storage.commit(tenant, [...left, claim, queue.write(tenant, laneJob(webhookId, run))]);
      if (result.done) queue.notify(laneTopic);
      if (result.done || result.index < left.length) return result;
    } else if (left.length === 0 && attempt > 0) {
      // Still at work after our writes were there to be seen.
      return { done: true };
    } else {
      // The lane is changed in any case, so that whoever works on it cannot close it without having looked again.
      const touch = { update: 'webhookLanes', id: webhookId, set: { wokenAt } } as const;
      const result = await storage.commit(tenant, [...left, touch]);
      if (!result.done) return result.index < left.length ? result : { done: true };
      pokes.poke(webhookId);
      left = [];
    }
  }
  throw new Error('the lane of a webhook was changed by others all the time');
}
