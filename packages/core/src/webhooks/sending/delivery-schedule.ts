const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds before each attempt, counted from the one before: 75 hours and 35 minutes in all. */
const delays: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const JITTER = 0.2;

/** Maximum attempts of a delivery. */
export const maxAttempts = delays.length;

export interface DelayOptions {
  /** From 0 to 1, evenly, such as `Math.random`. */
  readonly random: () => number;
  /** The `Retry-After` of the endpoint. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Milliseconds to wait before an attempt, undefined after the last one. They vary by a fifth, so that attempts that
 * failed together are not retried together. The delay that an endpoint requests is honoured up to twice the scheduled
 * one.
 *
 * @param attempt Number of the coming attempt, counted from 1.
 */
export function delayBefore(attempt: number, { random, retryAfterMs }: DelayOptions): number | undefined {
  const base = delays[attempt - 1];
  if (base === undefined) return undefined;
  if (retryAfterMs === undefined) return Math.round(base * (1 - JITTER + 2 * JITTER * random()));
  // Not before the requested time, so the variation goes only one way.
  const asked = Math.round(retryAfterMs * (1 + JITTER * random()));
  return Math.min(Math.max(asked, base), 2 * base);
}
