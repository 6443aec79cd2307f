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
/** So many standard deviations below the champion, a model is not tried at all. */
const HOPELESS = -5;
/** More failures than this are no time to try a model. */
const MOST_FAILURES = 0.3;

/** Who may be called in place of the first contender, in the order of the contenders, and how often. */
export function challengersOf(contenders: readonly Contender[], options: ExploringOptions): readonly Challenger[] {
  const [champion] = contenders;
  if (!champion) return [];
  const trials: Contender[] = [];
  const rivals: Challenger[] = [];
  let [count, chances] = [0, 0];
  for (const contender of contenders) {
    count += contender.quality.count;
    if (contender === champion || contender.scored.estimate.failureRate > MOST_FAILURES) continue;
    const chance = chanceToWin(contender, champion);
    if (isOnTrial(contender, champion, chance)) trials.push(contender);
    if (chance > 0) rivals.push({ contender, propensity: chance, onTrial: false });
    chances += chance;
  }
  const worth = Math.min(1, count / FULL_SHARE_SCORES);
  if (trials.length > 0) {
    const propensity = (options.trialShare * worth) / trials.length;
    return trials.map((contender) => ({ contender, propensity, onTrial: true }));
  }
  const scale = Math.min(1, (options.challengerShare * worth) / chances);
  return rivals.map(({ contender, propensity }) => ({ contender, propensity: propensity * scale, onTrial: false }));
}

function isOnTrial({ quality, expected, slope }: Contender, champion: Contender, chance: number): boolean {
  if (quality.given >= TRIAL_SCORES || quality.asked >= TRIAL_RESPONSES) return false;
  if (quality.given >= LEAST_SCORES && chance < WORSE_BELOW) return false;
  const atBest = expected + slope * (1 - quality.mean);
  return atBest > champion.expected;
}

/** The probability that it has a higher utility than the champion. */
function chanceToWin(one: Contender, champion: Contender): number {
  const variance = (one.slope * one.quality.deviation) ** 2 + (champion.slope * champion.quality.deviation) ** 2;
  const value = variance === 0 ? HOPELESS : (one.expected - champion.expected) / Math.sqrt(variance);
  return value <= HOPELESS ? 0 : normalProbability(value);
}

/** The probability of a normal variable to be below a value, to 0.0002: a logistic function with a cubic term. */
export function normalProbability(value: number): number {
  return 1 / (1 + Math.exp(-value * (1.5976 + 0.07056 * value * value)));
}
