import type { Candidate } from '@patchbay/core/plugin';
import type { EqualPlaces } from '@patchbay/router-weighted';

/** The scores of one model at the task, and the responses to it. */
type Evidence = NonNullable<Candidate['scores']> & Pick<Quality, 'asked'>;

/** The estimated quality of a model at a task: a normal distribution. */
export interface Quality {
  readonly mean: number;
  readonly deviation: number;
  /** Scores that count: those of equal deployments, and some of those under earlier settings, included. */
  readonly count: number;
  /** The same without decay. */
  readonly given: number;
  /** Responses to the task under the present settings, with a score or without: does not decay. */
  readonly asked: number;
}

const UNKNOWN_QUALITY = 0.5;
/** How far the quality at one task is from the quality in general. */
const PRIOR_DEVIATION = 0.15;
/** The variance of scores of one model, and the scores that it is worth: yes or no, mostly yes. */
const USUAL_VARIANCE = 0.15;
const USUAL_VARIANCE_COUNT = 5;
const LEAST_VARIANCE = 0.02;
/** No model tells more about how hard a task is than this many scores do. */
const MOST_TELLING = 30;
/** Scores that the general level of the catalogue is worth. */
const LEVEL_COUNT = 10;
/** Of the scores under earlier settings, this share counts, up to so many. */
const INHERITED_SHARE = 0.5;
const MOST_INHERITED = 20;

const PRIOR_PRECISION = 1 / PRIOR_DEVIATION ** 2;
const none = { count: 0, sum: 0, squares: 0, given: 0 };

/** The quality of each candidate at the task, in their order. */
export function qualitiesOf(candidates: readonly Candidate[], equals: readonly EqualPlaces[]): readonly Quality[] {
  const evidence = pooled(candidates.map(evidenceOf), equals);
  const priors = candidates.map(({ info }) => info.quality ?? UNKNOWN_QUALITY);
  const level = levelOf(evidence, priors);
  const variance = varianceOf(evidence);
  return evidence.map(({ count, sum, given, asked }, place) => {
    const prior = (priors[place] as number) + level;
    const precision = PRIOR_PRECISION + count / variance;
    const mean = (prior * PRIOR_PRECISION + sum / variance) / precision;
    return { mean, deviation: Math.sqrt(1 / precision), count, given, asked };
  });
}

function evidenceOf({ scores = none, earlierScores, fit }: Candidate): Evidence {
  const asked = fit?.everAsked ?? 0;
  const { count, sum, squares, given } = scores;
  if (!earlierScores || earlierScores.count === 0) return { count, sum, squares, given, asked };
  const share = Math.min(INHERITED_SHARE, MOST_INHERITED / earlierScores.count);
  return {
    count: count + earlierScores.count * share,
    sum: sum + earlierScores.sum * share,
    squares: squares + earlierScores.squares * share,
    given: given + Math.min(earlierScores.given * INHERITED_SHARE, MOST_INHERITED),
    asked,
  };
}

/** Equal deployments are one model: what is said of one is said of all. */
function pooled(evidence: readonly Evidence[], equals: readonly EqualPlaces[]): readonly Evidence[] {
  if (equals.length === 0) return evidence;
  const result = [...evidence];
  for (const places of equals) {
    const sum = { ...none, asked: 0 };
    for (const place of places) {
      const each = evidence[place] as Evidence;
      sum.count += each.count;
      sum.sum += each.sum;
      sum.squares += each.squares;
      sum.given += each.given;
      sum.asked += each.asked;
    }
    for (const place of places) result[place] = sum;
  }
  return result;
}

/**
 * By how much models do better at the task than in general. Without it, a model that was never tried would look better than
 * all others where the task is hard, or where mostly unhappy callers give scores.
 */
function levelOf(evidence: readonly Evidence[], priors: readonly number[]): number {
  let weights = LEVEL_COUNT;
  let difference = 0;
  for (let place = 0; place < evidence.length; place += 1) {
    const { count, sum } = evidence[place] as Evidence;
    if (count === 0) continue;
    const weight = Math.min(count, MOST_TELLING);
    weights += weight;
    difference += weight * (sum / count - (priors[place] as number));
  }
  return difference / weights;
}

/** Of the scores of one model, over all models. */
function varianceOf(evidence: readonly Evidence[]): number {
  let count = USUAL_VARIANCE_COUNT;
  let squares = USUAL_VARIANCE_COUNT * USUAL_VARIANCE;
  for (const each of evidence) {
    if (each.count === 0) continue;
    count += each.count;
    squares += Math.max(0, each.squares - each.sum ** 2 / each.count);
  }
  return Math.max(LEAST_VARIANCE, squares / count);
}
