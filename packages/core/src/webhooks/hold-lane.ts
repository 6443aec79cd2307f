import { timestamp } from '../base/clock.ts';
import { newId } from '../base/type-id.ts';
import type { WebhookLaneRow } from '../contracts/rows.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { laneJob, type readLaneJob } from '../events/webhook-jobs.ts';
import { holdFrom, isAlarmLost, isFree } from './lane-hold.ts';
import type { LaneStorage } from './lane-parts.ts';

/**
 * Take a lane for a job. One job has it at a time: the one whose token is in `run`, for as long as it exists. A job that
 * comes in vain leaves a trace in the lane, so that the one that has it looks again before it is through.
 *
 * @returns whether the job has the lane now.
 */
export async function holdLane(
  { storage, clock, pokes }: LaneStorage,
  tenant: TenantId,
  { webhookId, token, isCall }: ReturnType<typeof readLaneJob>,
): Promise<boolean> {
  for (;;) {
    const lane = await storage.get(tenant, 'webhookLanes', webhookId);
    if (lane === undefined) return false;
    if (lane.run === token) return true;
    const isAlarm = lane.alarm === token;
    if (!isAlarm && !isCall) return false;
    const now = clock.now();
    const free = isFree(lane, now);
    const set = {
      ...(free ? { run: token, heldUntil: holdFrom(now) } : { wokenAt: timestamp(clock) }),
      ...(isAlarm && { alarm: null, alarmAt: null }),
    };
    const write = { update: 'webhookLanes', id: webhookId, set, ifRevision: lane.revision } as const;
    if (!(await storage.commit(tenant, [write])).done) continue;
    if (free) return true;
    pokes.poke(webhookId);
    return false;
  }
}

/**
 * Give a lane back, with a job that comes when there is something to do again.
 *
 * @param lane As it was before the caller looked for something to do and found nothing.
 * @returns false where it has been changed since: there may be something to do.
 */
export async function leaveLane(
  { storage, queue, clock }: LaneStorage,
  tenant: TenantId,
  lane: WebhookLaneRow,
  nextAt: string | undefined,
): Promise<boolean> {
  const { id, revision: ifRevision, alarmAt } = lane;
  const isLost = isAlarmLost(lane, clock.now());
  const left = { run: null, heldUntil: null, ...(isLost && { alarm: null, alarmAt: null }) };
  const isAwaited = alarmAt !== null && !isLost;
  if (nextAt === undefined || (isAwaited && alarmAt <= nextAt)) {
    return (await storage.commit(tenant, [{ update: 'webhookLanes', id, set: left, ifRevision }])).done;
  }
  const alarm = newId('alarm');
  const set = { ...left, alarm, alarmAt: nextAt };
  const delayMs = Math.max(Date.parse(nextAt) - clock.now(), 0);
  const job = queue.write(tenant, laneJob(id, alarm, delayMs));
  return (await storage.commit(tenant, [{ update: 'webhookLanes', id, set, ifRevision }, job])).done;
}
