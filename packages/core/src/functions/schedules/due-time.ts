import type { ScheduleRow } from '@patchbay/contracts/rows';
import type { ScheduleTimes } from './schedule-times.ts';

/** A time is missed if no server was running until this much later. */
const LATE_MS = 10_000;

export interface DueTime {
  /** The time to run for now. Undefined: all that were due are missed. */
  readonly at: number | undefined;
  /** The last time before it for which no run is made. Undefined if none was missed. */
  readonly missedAt: number | undefined;
  /** The time after it. Undefined: there are no more. */
  readonly nextAt: number | undefined;
}

/** The time to run for, for a schedule that is due. */
export function dueTime(
  times: ScheduleTimes,
  { nextAt, catchUp }: Pick<ScheduleRow, 'nextAt' | 'catchUp'>,
  now: number,
): DueTime {
  const first = Date.parse(nextAt);
  const recent = now - LATE_MS;
  if (first >= recent || catchUp === 'all') return { at: first, missedAt: undefined, nextAt: times.next(first) };
  const inTime = times.next(recent - 1);
  const isInTime = inTime !== undefined && inTime <= now;
  const at = isInTime ? inTime : catchUp === 'last' ? times.previous(now + 1) : undefined;
  const missedAt = times.previous(at ?? now + 1);
  return {
    at,
    missedAt: missedAt === undefined || missedAt < first ? undefined : missedAt,
    nextAt: times.next(at ?? now),
  };
}
