import type { Clock } from '../contracts/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** The current time as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/**
 * The current time, but at least one millisecond after `previous`: the next `updatedAt` of a row, even if the
 * clock has not advanced since or was set back.
 */
export function laterThan(previous: string, clock: Clock): string {
  return new Date(Math.max(clock.now(), Date.parse(previous) + 1)).toISOString();
}

/** Maximum delay of a timer in milliseconds: beyond it, `setTimeout` fires immediately. */
export const longestTimer = 2 ** 31 - 1;
