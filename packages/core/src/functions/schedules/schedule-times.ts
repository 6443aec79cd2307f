import { intervalMs } from '@patchbay/contracts/base/interval';
import type { ScheduleRow } from '@patchbay/contracts/rows';

/**
 * The times of a schedule, in epoch milliseconds. They depend on its definition alone, so all servers agree on them.
 */
export interface ScheduleTimes {
  /** The first one after a time. Undefined if there is none. */
  next(after: number): number | undefined;
  /** The last one before a time. Undefined if there was none. */
  previous(before: number): number | undefined;
}

type Definition = Pick<ScheduleRow, 'cron' | 'timezone' | 'every' | 'createdAt'>;

/** @throws Error with a message for the author of a `cron` that cannot be read. */
export async function scheduleTimes({ cron, timezone, every, createdAt }: Definition): Promise<ScheduleTimes> {
  if (cron === null) return intervals(Date.parse(createdAt), intervalMs(every ?? ''));
  // The library accepts dates as well.
  if (cron.includes(':')) throw new Error('is a pattern of five or six fields, such as 30 2 * * *');
  // Only servers with such schedules load it.
  const { Cron } = await import('croner');
  const pattern = new Cron(cron, {
    paused: true,
    mode: '5-or-6-parts',
    timezone: timezone ?? 'UTC',
    // As in cron, the times of a list or a range are fixed times, like a single one.
    fixedTimeRule: 'no-wildcard',
  });
  return {
    next: (after) => pattern.nextRun(new Date(after))?.getTime(),
    previous: (before) => pattern.previousRuns(1, new Date(before))[0]?.getTime(),
  };
}

function intervals(start: number, ms: number): ScheduleTimes {
  return {
    next: (after) => start + Math.max(1, Math.floor((after - start) / ms) + 1) * ms,
    previous(before) {
      const count = Math.ceil((before - start) / ms) - 1;
      return count < 1 ? undefined : start + count * ms;
    },
  };
}
