import type { Candidate } from '@patchbay/core/plugin';
import type { EqualPlaces } from '@patchbay/router-weighted';

export type Scores = NonNullable<Candidate['scores']>;

/** The share of the scores under earlier settings that counts, and their maximum. */
const INHERITED_SHARE = 0.5;
const MOST_INHERITED = 20;

const none: Scores = { count: 0, sum: 0, squares: 0, given: 0 };

/** Those of the first candidate that has any; undefined if none has. */
export function firstScores(candidates: readonly Candidate[]): Scores | undefined {
  for (const { scores, earlierScores } of candidates) {
    if (scores && scores.count > 0) return scores;
    if (earlierScores && earlierScores.count > 0) return earlierScores;
  }
  return undefined;
}

/** The scores that count for each candidate. Equal deployments are one model: a score of one is a score of all. */
export function pooledScores(candidates: readonly Candidate[], equals: readonly EqualPlaces[]): readonly Scores[] {
  const result = candidates.map(scoresOf);
  for (const places of equals) {
    const sum = { ...none };
    for (const place of places) {
      const each = result[place] as Scores;
      sum.count += each.count;
      sum.sum += each.sum;
      sum.squares += each.squares;
      sum.given += each.given;
    }
    for (const place of places) result[place] = sum;
  }
  return result;
}

function scoresOf({ scores = none, earlierScores }: Candidate): Scores {
  if (!earlierScores || earlierScores.count === 0) return scores;
  const share = Math.min(INHERITED_SHARE, MOST_INHERITED / earlierScores.count);
  return {
    count: scores.count + earlierScores.count * share,
    sum: scores.sum + earlierScores.sum * share,
    squares: scores.squares + earlierScores.squares * share,
    given: scores.given + Math.min(earlierScores.given * INHERITED_SHARE, MOST_INHERITED),
  };
}
