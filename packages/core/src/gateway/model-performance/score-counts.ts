import type { TaskScores } from '@patchbay/contracts/router';

/** Scores of one model at one task, as they were at a time. */
export interface ScoreCounts extends TaskScores {
  /** Milliseconds, of a clock that replicas share. */
  readonly at: number;
}

const HALF_LIFE_MS = 14 * 24 * 3_600_000;
/** A model with this many scores forgets its past through new scores rather than through time. */
const MOST_COUNTED = 400;

/** The counts at another time. Decay multiplies, so that it does not matter whether deltas are added before or after. */
export function decayedTo({ at, count, sum, squares, given }: ScoreCounts, now: number): ScoreCounts {
  const left = 2 ** (Math.min(0, at - now) / HALF_LIFE_MS);
  return { at: Math.max(at, now), count: count * left, sum: sum * left, squares: squares * left, given };
}

/** The counts with those that one process gathered. */
export function addScores(one: ScoreCounts | undefined, other: ScoreCounts): ScoreCounts {
  if (!one) return other;
  const at = Math.max(one.at, other.at);
  const [a, b] = [decayedTo(one, at), decayedTo(other, at)];
  // New scores push out old ones, but not each other.
  const kept = a.count > 0 ? Math.max(0, Math.min(1, (MOST_COUNTED - b.count) / a.count)) : 1;
  return {
    at,
    count: a.count * kept + b.count,
    sum: a.sum * kept + b.sum,
    squares: a.squares * kept + b.squares,
    given: a.given + b.given,
  };
}

/**
 * @param score From 0 to 1.
 * @param times How often it counts: a fraction of 1, or less than 0 to undo it.
 */
export function scoreCounts(score: number, at: number, times = 1): ScoreCounts {
  return { at, count: times, sum: times * score, squares: times * score ** 2, given: times };
}
