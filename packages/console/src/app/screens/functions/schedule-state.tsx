import type { Schedule } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';

const reasons = { requested: 'paused', key_revoked: 'paused: its key has ended' } as const;

/** Whether a schedule runs, and why it does not. */
export function ScheduleState({ enabled, pausedReason = 'requested' }: Schedule) {
  return enabled ? <Badge kind="good">active</Badge> : <Badge kind="warn">{reasons[pausedReason]}</Badge>;
}

/** When it runs, as it was written. */
export function timesText({ cron, every, timezone }: Schedule): string {
  return cron === undefined ? `every ${every ?? ''}` : `${cron} (${timezone ?? 'UTC'})`;
}
