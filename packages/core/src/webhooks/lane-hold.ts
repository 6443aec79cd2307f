import { timestamp } from '@patchbay/contracts/base/clock';
import { newId } from '@patchbay/contracts/base/type-id';
import type { WebhookLaneRow } from '@patchbay/contracts/rows';
import type { CommitResult, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { laneJob, laneTopic, type readLaneJob } from '../events/webhook-outbox.ts';
import type { LaneDependencies, LaneStorage } from './lane-dependencies.ts';

/**
 * Milliseconds for which a job counts as alive without a renewal. Much longer than its lease, so that a redelivered job
 * finds its lane as it left it. Beyond it, jobs are gone permanently: with another queue, or an old backup.
 */
const HOLD_MS = 60_000;

/** The new `heldUntil`. */
export function holdFrom(now: number): string {
  return new Date(now + HOLD_MS).toISOString();
}

/** Whether it is time to signal that a job is alive. */
export function isHoldOld({ heldUntil }: Pick<WebhookLaneRow, 'heldUntil'>, now: number): boolean {
  return timeOf(heldUntil) - now < HOLD_MS / 2;
}

/** Whether no job holds a lane. */
export function isFree({ run, heldUntil }: Pick<WebhookLaneRow, 'run' | 'heldUntil'>, now: number): boolean {
  return run === null || timeOf(heldUntil) <= now;
}

/** Whether the job that was to wake a lane should have run long ago. */
function isAlarmLost({ alarmAt }: Pick<WebhookLaneRow, 'alarmAt'>, now: number): boolean {
  return alarmAt !== null && timeOf(alarmAt) + HOLD_MS <= now;
}

function timeOf(timestamp: string | null): number {
  return timestamp === null ? 0 : Date.parse(timestamp);
}

/**
 * Acquire a lane for a job. One job holds it at a time: the one whose token is in `run`, for as long as it exists. A job that
 * arrives in vain marks the lane, so that the holder checks again before it finishes.
 *
 * @returns whether the job holds the lane now.
 */
export async function holdLane(
  { storage, clock, notifier }: LaneStorage,
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
    notifier.notify(webhookId);
    return false;
  }
}

/**
 * Release a lane, with a job scheduled for when there is work again.
 *
 * @param lane As it was before the caller looked for something to do and found nothing.
 * @returns false if it has been changed since: there may be something to do.
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

/** How often a wake is attempted against concurrent changes of the same lane. */
const ATTEMPTS = 50;

/**
 * Queue deliveries to a webhook, together with the job of its lane, unless that already exists. After a crash, the
 * caller must run again and pass what is not stored yet.
 *
 * @returns what the storage refused of `writes`; done even if the webhook is gone.
 */
export async function wakeLane(
  parts: LaneStorage,
  tenant: TenantId,
  webhookId: string,
  writes: readonly Write[],
): Promise<CommitResult> {
  const { storage, queue, clock, notifier } = parts;
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
      // Still at work after our writes became visible.
      return { done: true };
    } else {
      // The lane is changed in any case, so that the job that holds it cannot leave it without checking again.
      const touch = { update: 'webhookLanes', id: webhookId, set: { wokenAt } } as const;
      const result = await storage.commit(tenant, [...left, touch]);
      if (!result.done) return result.index < left.length ? result : { done: true };
      notifier.notify(webhookId);
      left = [];
    }
  }
  throw new Error('too many concurrent changes to the lane of a webhook');
}

const EVERYTHING = Number.MAX_SAFE_INTEGER;

/**
 * Check lanes whose jobs are lost, because the queue was replaced by another one, or the storage was restored to an
 * older state. @returns Their number. Jobs that still exist run without effect.
 */
export async function healLanes(parts: Pick<LaneDependencies, 'storage' | 'queue' | 'clock'>): Promise<number> {
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
