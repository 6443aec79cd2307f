import type { Scored } from '@patchbay/router-weighted';
import type { Quality } from './qualities.ts';

/** A model in the order of its utility at the lower bound of its quality. */
export interface Contender {
  readonly scored: Scored;
  readonly quality: Quality;
  /** Utility at the mean of its quality. */
  readonly expected: number;
  /** Utility for each unit of quality. */
  readonly slope: number;
}

/** A model that may be called in place of the champion. */
export interface Challenger {
  readonly contender: Contender;
  /** The probability with which it is called. */
  readonly propensity: number;
  /** It has too few scores to be judged. */
  readonly onTrial: boolean;
}

export interface ExploringOptions {
  /** Share of the requests for models on trial, 0 to 1: at most. */
  readonly trialShare: number;
  /** Share of the requests for challengers after their trial: at most. */
  readonly challengerShare: number;
}

/** Scores that end a trial. */
const TRIAL_SCORES = 30;
/** Responses that end it where scores are rare, or no longer come: a trial without a verdict must not last. */
const TRIAL_RESPONSES = 600;
/** Scores after which a model can be worse with confidence. */
const LEAST_SCORES = 5;
const WORSE_BELOW = 0.05;
/** Scores of the task, old ones decayed, with which exploring is worth its full share: one score starts little. */
const FULL_SHARE_SCORES = 20;
/** More failures than this are no time to try a model. */
const MOST_FAILURES = 0.3;

/** Who may be called in place of the first contender, and how often. */
export function challengersOf(contenders: readonly Contender[], options: ExploringOptions): readonly Challenger[] {
  const [champion, ...others] = contenders;
  if (!champion) return [];
  const able = others.filter(({ scored }) => scored.estimate.failureRate <= MOST_FAILURES);
  const chances = able.map((contender) => ({ contender, chance: chanceToWin(contender, champion) }));
  const trials = chances.filter(({ contender, chance }) => isOnTrial(contender, champion, chance));
  const count = contenders.reduce((sum, { quality }) => sum + quality.count, 0);
  const worth = Math.min(1, count / FULL_SHARE_SCORES);
  if (trials.length > 0) {
    const propensity = (options.trialShare * worth) / trials.length;
    return trials.map(({ contender }) => ({ contender, propensity, onTrial: true }));
  }
  const sum = chances.reduce((total, { chance }) => total + chance, 0);
  const scale = Math.min(1, (options.challengerShare * worth) / sum);
  return chances
    .filter(({ chance }) => chance > 0)
    .map(({ contender, chance }) => ({ contender, propensity: chance * scale, onTrial: false }));
}

function isOnTrial({ quality, expected, slope }: Contender, champion: Contender, chance: number): boolean {
  if (quality.given >= TRIAL_SCORES || quality.asked >= TRIAL_RESPONSES) return false;
  if (quality.given >= LEAST_SCORES && chance < WORSE_BELOW) return false;
  const atBest = expected + slope * (1 - quality.mean);
  return atBest > champion.expected;
}

/** The probability that it has a higher utility than the champion. */
function chanceToWin(one: Contender, champion: Contender): number {
  const deviation = Math.hypot(one.slope * one.quality.deviation, champion.slope * champion.quality.deviation);
  return deviation === 0 ? 0 : normalProbability((one.expected - champion.expected) / deviation);
}

/** The probability of a normal variable to be below a value, to 0.0002: a logistic function with a cubic term. */
export function normalProbability(value: number): number {
  return 1 / (1 + Math.exp(-(1.5976 * value + 0.07056 * value ** 3)));
}
