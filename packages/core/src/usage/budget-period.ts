import type { Budget } from '../contracts/limits.ts';

/** One day or month, in UTC, in epoch milliseconds. */
export interface Period {
  readonly start: number;
  /** When the next one starts. */
  readonly end: number;
}

/** The day or month that a moment is in. */
export function periodOf(kind: Budget['period'], now: number): Period {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return kind === 'day'
    ? { start: Date.UTC(year, month, day), end: Date.UTC(year, month, day + 1) }
    : { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}
