import type { WebhookLaneRow } from '../contracts/rows.ts';

/**
 * How long a job is taken for alive that has not said so anew. Much longer than its lease, so that a job which is delivered
 * again finds its lane as it left it. What remains are jobs that are gone for good: with another queue, or an old backup.
 */
const HOLD_MS = 60_000;

/** What `heldUntil` becomes. */
export function holdFrom(now: number): string {
  return new Date(now + HOLD_MS).toISOString();
}

/** Whether it is time to say that a job is alive. */
export function isHoldOld({ heldUntil }: Pick<WebhookLaneRow, 'heldUntil'>, now: number): boolean {
  return timeOf(heldUntil) - now < HOLD_MS / 2;
}

/** Whether nobody works on a lane. */
export function isFree({ run, heldUntil }: Pick<WebhookLaneRow, 'run' | 'heldUntil'>, now: number): boolean {
  return run === null || timeOf(heldUntil) <= now;
}

/** Whether the job that was to wake a lane should have come long ago. */
export function isAlarmLost({ alarmAt }: Pick<WebhookLaneRow, 'alarmAt'>, now: number): boolean {
  return alarmAt !== null && timeOf(alarmAt) + HOLD_MS <= now;
}

function timeOf(timestamp: string | null): number {
  return timestamp === null ? 0 : Date.parse(timestamp);
}
