import { errorMessage } from '@patchbay/contracts/base/error-message';
import type { Clock } from '@patchbay/contracts/clock';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { ScheduleRow } from '@patchbay/contracts/rows';
import { type ScheduleTimes, scheduleTimes } from './schedule-times.ts';

/** The times of a schedule as a caller gives them. */
interface GivenTimes {
  readonly cron?: string;
  readonly every?: string;
  readonly timezone?: string;
}

type CheckedTimes = Pick<ScheduleRow, 'cron' | 'every' | 'timezone' | 'nextAt'>;

/** The times of a schedule, which has at least one more. @throws PatchbayError `invalid_request`. */
export async function checkedTimes(
  given: GivenTimes,
  createdAt: string,
  clock: Pick<Clock, 'now'>,
): Promise<CheckedTimes> {
  const { cron, every, timezone } = { cron: null, every: null, ...given };
  if ((cron === null) === (every === null)) {
    throw refused('/cron', 'one_of', 'is given, or `every` is, and not both');
  }
  if (cron === null && timezone !== undefined) throw refused('/timezone', 'not_applicable', 'is only for `cron`');
  if (timezone !== undefined && !isTimezone(timezone)) {
    throw refused('/timezone', 'unknown_timezone', 'is no IANA time zone, such as `Europe/Berlin`');
  }
  const zone = cron === null ? null : (timezone ?? 'UTC');
  const pointer = cron === null ? '/every' : '/cron';
  let times: ScheduleTimes;
  try {
    times = await scheduleTimes({ cron, every, timezone: zone, createdAt });
  } catch (error) {
    throw refused(pointer, 'unreadable', errorMessage(error).replace(/^CronPattern: /, ''));
  }
  const next = times.next(clock.now());
  if (next === undefined) throw refused(pointer, 'never', 'names no time that will ever come');
  return { cron, every, timezone: zone, nextAt: new Date(next).toISOString() };
}

function refused(pointer: string, code: string, detail: string): PatchbayError {
  const errors: ErrorDetail[] = [{ pointer, code, detail }];
  return new PatchbayError('invalid_request', 'the times of the schedule cannot be used', { errors });
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
