import type { Clock } from '../contracts/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** The time now as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/**
 * The time now, and at least one millisecond after `previous`: what `updatedAt` becomes at a change, also where the
 * clock has not moved since the last one or was set back.
 */
export function laterThan(previous: string, clock: Clock): string {
  return new Date(Math.max(clock.now(), Date.parse(previous) + 1)).toISOString();
}

/** Milliseconds that a timer can wait at most: for more, `setTimeout` fires at once. */
export const longestTimer = 2 ** 31 - 1;
