import type { Candidate } from '@patchbay/core/plugin';
import type { EqualPlaces } from '@patchbay/router-weighted';

type Scores = NonNullable<Candidate['scores']>;

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
const none: Scores = { count: 0, sum: 0, squares: 0, given: 0 };

/**
 * The estimated quality of each candidate at the task, by its place: a normal distribution. Computed when it is asked for,
 * because an object for every candidate of every request costs more.
 */
export class Qualities {
  readonly #candidates: readonly Candidate[];
  readonly #scores: readonly Scores[];
  /** Where some candidates are equal. */
  readonly #asked: readonly number[] | undefined;
  readonly #level: number;
  readonly #variance: number;

  constructor(candidates: readonly Candidate[], equals: readonly EqualPlaces[]) {
    this.#candidates = candidates;
    this.#scores = pooledScores(candidates.map(scoresOf), equals);
    this.#asked = equals.length === 0 ? undefined : pooledAsked(candidates.map(askedOf), equals);
    this.#level = levelOf(this.#scores, candidates);
    this.#variance = varianceOf(this.#scores);
  }

  mean(place: number): number {
    const { count, sum } = this.#scores[place] as Scores;
    const prior = priorOf(this.#candidates[place] as Candidate) + this.#level;
    return (prior * PRIOR_PRECISION + sum / this.#variance) / (PRIOR_PRECISION + count / this.#variance);
  }

  deviation(place: number): number {
    return Math.sqrt(1 / (PRIOR_PRECISION + this.count(place) / this.#variance));
  }

  /** Scores that count: those of equal deployments, and some of those under earlier settings, included. */
  count(place: number): number {
    return (this.#scores[place] as Scores).count;
  }

  /** The same without decay. */
  given(place: number): number {
    return (this.#scores[place] as Scores).given;
  }

  /** Responses to the task under the present settings, with a score or without: does not decay. */
  asked(place: number): number {
    return this.#asked?.[place] ?? askedOf(this.#candidates[place] as Candidate);
  }
}

const priorOf = ({ info }: Candidate): number => info.quality ?? UNKNOWN_QUALITY;

const askedOf = ({ fit }: Candidate): number => fit?.everAsked ?? 0;

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

/** Equal deployments are one model: what is said of one is said of all. */
function pooledScores(scores: readonly Scores[], equals: readonly EqualPlaces[]): readonly Scores[] {
  if (equals.length === 0) return scores;
  const result = [...scores];
  for (const places of equals) {
    const sum = { ...none };
    for (const place of places) {
      const each = scores[place] as Scores;
      sum.count += each.count;
      sum.sum += each.sum;
      sum.squares += each.squares;
      sum.given += each.given;
    }
    for (const place of places) result[place] = sum;
  }
  return result;
}

function pooledAsked(asked: readonly number[], equals: readonly EqualPlaces[]): readonly number[] {
  const result = [...asked];
  for (const places of equals) {
    const sum = places.reduce((total, place) => total + (asked[place] as number), 0);
    for (const place of places) result[place] = sum;
  }
  return result;
}

/**
 * By how much models do better at the task than in general. Without it, a model that was never tried would look better than
 * all others where the task is hard, or where mostly unhappy callers give scores.
 */
function levelOf(scores: readonly Scores[], candidates: readonly Candidate[]): number {
  let weights = LEVEL_COUNT;
  let difference = 0;
  for (let place = 0; place < scores.length; place += 1) {
    const { count, sum } = scores[place] as Scores;
    if (count === 0) continue;
    const weight = Math.min(count, MOST_TELLING);
    weights += weight;
    difference += weight * (sum / count - priorOf(candidates[place] as Candidate));
  }
  return difference / weights;
}

/** Of the scores of one model, over all models. */
function varianceOf(scores: readonly Scores[]): number {
  let count = USUAL_VARIANCE_COUNT;
  let squares = USUAL_VARIANCE_COUNT * USUAL_VARIANCE;
  for (const each of scores) {
    if (each.count === 0) continue;
    count += each.count;
    squares += Math.max(0, each.squares - each.sum ** 2 / each.count);
  }
  return Math.max(LEAST_VARIANCE, squares / count);
}
