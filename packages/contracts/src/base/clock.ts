import { setImmediate } from 'node:timers';
import type { Clock } from '../clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** The current time as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

const UNTIL_SECOND = 'YYYY-MM-DDTHH:mm:ss.'.length;

/**
 * The same for code that needs many: formatting a date takes as long as serializing a small object to JSON, so that it is
 * formatted once for each second.
 */
export function createTimestamps(clock: Pick<Clock, 'now'>): () => string {
  let last = Number.NaN;
  let text = '';
  let second = Number.NaN;
  let untilSecond = '';
  return () => {
    const now = Math.trunc(clock.now());
    if (now === last) return text;
    last = now;
    const sinceSecond = now - second;
    if (sinceSecond >= 0 && sinceSecond < 1_000) {
      text = `${untilSecond}${String(1_000 + sinceSecond).slice(1)}Z`;
      return text;
    }
    text = new Date(now).toISOString();
    second = Math.floor(now / 1_000) * 1_000;
    untilSecond = text.slice(0, UNTIL_SECOND);
    return text;
  };
}

/**
 * The current time, but at least one millisecond after `previous`: the next `updatedAt` of a row, even if the
 * clock has not advanced since or was set back.
 */
export function laterThan(previous: string, clock: Clock): string {
  return new Date(Math.max(clock.now(), Date.parse(previous) + 1)).toISOString();
}

/**
 * Backoff before the next attempt, in milliseconds: a second, doubled with each attempt up to a bound, plus or minus a
 * fifth, so that attempts that failed together are not retried together.
 */
export function backoffMs(attempt: number, mostMs: number, random: () => number = Math.random): number {
  return Math.min(1_000 * 2 ** (attempt - 1), mostMs) * (0.8 + 0.4 * random());
}

const HOUR = 'YYYY-MM-DDTHH'.length;

/** The beginning of the hour of a timestamp. */
export function hourOf(timestamp: string): string {
  return `${timestamp.slice(0, HOUR)}:00:00.000Z`;
}

const DAY = 'YYYY-MM-DD'.length;

/** The beginning of the day of a timestamp, in UTC. */
export function dayOf(timestamp: string): string {
  return `${timestamp.slice(0, DAY)}T00:00:00.000Z`;
}

/** Maximum delay of a timer in milliseconds: beyond it, `setTimeout` fires immediately. */
export const longestTimer = 2 ** 31 - 1;

/**
 * Let work that arrives in the same turn of the event loop continue together: the returned function resolves at the end of the
 * turn, at once for everybody who called it. The callers then run in lockstep, each up to its next `await`, so that the code of a
 * step is fetched once for all of them and not once for each.
 *
 * A single caller waits for some microseconds. Pieces of streams should not wait: they take few steps, with much data.
 *
 * Source: Larus and Parkes, "Using Cohort Scheduling to Enhance Server Performance", USENIX 2002.
 */
export function createTurns(): () => Promise<void> {
  let turn: Promise<void> | undefined;
  return () => {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    });
    return turn;
  };
}
