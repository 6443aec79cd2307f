import type { Candidate, RankedModel } from '@patchbay/core/plugin';
import { type EqualPlaces, equalDeployments } from '@patchbay/router-weighted';
import { FitFactors } from './fit-factors.ts';
import { firstScores, pooledScores, type Scores } from './task-scores.ts';

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

const PRIOR_PRECISION = 1 / PRIOR_DEVIATION ** 2;

type LearnedQuality = Omit<NonNullable<RankedModel['learned']>, 'role'>;

/** The estimated quality of each candidate at the task, by its place: a normal distribution. */
export class Qualities {
  /** Scores of all candidates that count. */
  readonly total: number;
  /** The places of candidates that are one model. */
  readonly equals: readonly EqualPlaces[];
  readonly fits = new FitFactors();
  /** Three values of each candidate that the rest follows from. Every request compares all of them, and an array is read faster. */
  readonly #sources: readonly unknown[];
  readonly #counts: readonly number[];
  readonly #given: readonly number[];
  readonly #means: readonly number[];
  readonly #deviations: readonly number[];
  /** As far as they were requested. */
  readonly #told: (string | undefined)[] = [];

  constructor(candidates: readonly Candidate[]) {
    const equals = equalDeployments(candidates);
    const scores = pooledScores(candidates, equals);
    const level = levelOf(scores, candidates);
    const variance = varianceOf(scores);
    const precisions = scores.map(({ count }) => PRIOR_PRECISION + count / variance);
    this.equals = equals;
    this.#sources = candidates.flatMap(({ info, scores: own, earlierScores }) => [info, own, earlierScores]);
    this.#counts = scores.map(({ count }) => count);
    this.#given = scores.map(({ given }) => given);
    this.#means = scores.map(({ sum }, place) => {
      const prior = priorOf(candidates[place] as Candidate) + level;
      return (prior * PRIOR_PRECISION + sum / variance) / (precisions[place] as number);
    });
    this.#deviations = precisions.map((precision) => Math.sqrt(1 / precision));
    this.total = scores.reduce((sum, { count }) => sum + count, 0);
  }

  /** Whether these candidates have the same scores, as the same objects. */
  areOf(candidates: readonly Candidate[]): boolean {
    const sources = this.#sources;
    let next = 0;
    for (const { info, scores, earlierScores } of candidates) {
      if (info !== sources[next] || scores !== sources[next + 1] || earlierScores !== sources[next + 2]) return false;
      next += 3;
    }
    return next === sources.length;
  }

  mean(place: number): number {
    return this.#means[place] as number;
  }

  deviation(place: number): number {
    return this.#deviations[place] as number;
  }

  /** Scores that count: those of equal deployments, and some of those under earlier settings, included. */
  count(place: number): number {
    return this.#counts[place] as number;
  }

  /** The same without decay. */
  given(place: number): number {
    return this.#given[place] as number;
  }

  /** For explanations. */
  learned(place: number): LearnedQuality {
    const mean = onScale(this.mean(place));
    const reach = 1.96 * this.deviation(place);
    return { mean, low: onScale(mean - reach), high: onScale(mean + reach), scores: this.count(place) };
  }

  /** The same in words. */
  told(place: number): string {
    this.#told[place] ??= inWords(this.learned(place));
    return this.#told[place];
  }
}

/** Scores are from 0 to 1; where all of them are high, the estimate of a model without any is beyond. */
const onScale = (quality: number): number => Math.min(1, Math.max(0, quality));

const inWords = ({ mean, low, high, scores }: LearnedQuality): string =>
  `Quality ${mean.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}) at this task, by ${Math.round(scores)} scores`;

/** Undefined where no candidate has scores. */
export type QualitiesOf = (candidates: readonly Candidate[]) => Qualities | undefined;

/** Most requests find the same scores as the one before: what was learned from them is cached, keyed by one of them. */
export function createQualitiesOf(): QualitiesOf {
  const kept = new WeakMap<Scores, Qualities>();
  return (candidates) => {
    const first = firstScores(candidates);
    if (!first) return undefined;
    const last = kept.get(first);
    const qualities = last?.areOf(candidates) ? last : new Qualities(candidates);
    if (qualities !== last) kept.set(first, qualities);
    qualities.fits.update(candidates);
    return qualities;
  };
}

const priorOf = ({ info }: Candidate): number => info.quality ?? UNKNOWN_QUALITY;

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

/** Variance of the scores of one model, over all models. */
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
