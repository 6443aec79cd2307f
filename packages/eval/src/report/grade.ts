import type { NamedVerdict } from '../run/evaluation.ts';

/** How good an answer is, by all of its checks. */
export interface Grade {
  /** All votes have passed. */
  readonly passed: boolean;
  /** The mean of the votes. */
  readonly score: number;
}

/**
 * The grade of an answer.
 *
 * @returns Undefined if it is not known: without checks, and if one has no vote and the others have passed.
 */
export function gradeOf(verdicts: readonly NamedVerdict[]): Grade | undefined {
  const votes = verdicts.flatMap((verdict) => ('passed' in verdict ? [verdict] : []));
  const passed = votes.every((vote) => vote.passed);
  if (votes.length === 0 || (passed && votes.length < verdicts.length)) return undefined;
  return { passed, score: votes.reduce((sum, vote) => sum + vote.score, 0) / votes.length };
}
