import type { WebhookLaneRow } from '../contracts/rows.ts';
import type { AttemptOutcome } from './attempt-delivery.ts';

/** How the receiver of a webhook has been lately. */
export type LaneHealth = Pick<WebhookLaneRow, 'failingSince' | 'throttles' | 'pausedUntil'>;

export const healthy: LaneHealth = { failingSince: null, throttles: 0, pausedUntil: null };

const FAILING_MS = 5 * 86_400_000;

const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** What an outcome changes; undefined for nothing. */
export function healthAfter(health: LaneHealth, outcome: AttemptOutcome, now: number): LaneHealth | undefined {
  if (outcome.kind === 'delivered') {
    return health.failingSince === null && health.throttles === 0 && health.pausedUntil === null ? undefined : healthy;
  }
  const failingSince = health.failingSince ?? timeOf(now);
  if (outcome.kind === 'failed' && outcome.throttled === true) {
    const pauseMs = outcome.retryAfterMs ?? PAUSE_MS * 2 ** Math.min(health.throttles, 16);
    const pausedUntil = timeOf(now + Math.min(Math.max(pauseMs, PAUSE_MS), LONGEST_PAUSE_MS));
    return { failingSince, throttles: health.throttles + 1, pausedUntil };
  }
  return health.failingSince === null ? { ...health, failingSince } : undefined;
}

/** Whether every attempt has failed for so long that nobody is thought to be there any more. */
export function hasFailedTooLong({ failingSince }: LaneHealth, now: number): boolean {
  return failingSince !== null && now - Date.parse(failingSince) >= FAILING_MS;
}

function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
