import type { Candidate } from '@patchbay/core/plugin';
import { type Contender, expectedOf, slopeOf } from './contender.ts';
import type { Qualities } from './qualities.ts';

/** How often other models are called in place of the champion: all of those on trial, or none of them. */
export interface Challengers {
  /** The probability with which each contender is called first, in their order: the champion's is the first. */
  readonly propensities: readonly number[];
  /** They have too few scores to be judged. */
  readonly onTrial: boolean;
}

export interface ExploringOptions {
  /** Maximum share of the requests for models on trial, 0 to 1. */
  readonly trialShare: number;
  /** Maximum share of the requests for challengers after their trial. */
  readonly challengerShare: number;
}

/** Scores that end a trial. */
const TRIAL_SCORES = 30;
/** Responses that end it where scores are rare, or no longer come: a trial without a verdict must not last. */
const TRIAL_RESPONSES = 600;
/** Scores after which a model can be worse with confidence. */
const LEAST_SCORES = 5;
const WORSE_BELOW = 0.05;
/** Scores of the task, old ones decayed, from which exploring gets its full share: one score starts little. */
const FULL_SHARE_SCORES = 20;
/** This many standard deviations below the champion, a model is not tried at all. */
const HOPELESS = -5;
/**
 * A probability is a whole number of these: hundred-thousandths. With less, a model would not be tried in the lifetime
 * of a score.
 */
const STEPS = 100_000;
/** Binary fractions are inexact: a hundredth is a thousand steps, and not 999. */
const ROUNDING = 1e-6;
/** A model with more failures than this is not tried. */
const MOST_FAILURES = 0.3;

/** The challengers of the contenders for one request, the champion first. @param weight Of the quality. */
export function challengersOf(
  contenders: readonly Contender[],
  candidates: readonly Candidate[],
  qualities: Qualities,
  weight: number,
  { trialShare, challengerShare }: ExploringOptions,
): Challengers {
  const match = matchOf(contenders[0] as Contender, qualities, weight);
  const worth = Math.min(1, qualities.total / FULL_SHARE_SCORES);
  const trials: number[] = [];
  for (let rank = 1; rank < contenders.length; rank += 1) {
    if (isOnTrial(contenders[rank] as Contender, match, candidates)) trials.push(rank);
  }
  if (trials.length > 0) {
    return { propensities: shared(contenders.length, trials, trialShare * worth), onTrial: true };
  }
  const chances = [0];
  let sum = 0;
  for (let rank = 1; rank < contenders.length; rank += 1) {
    const chance = chanceToWin(contenders[rank] as Contender, match);
    chances.push(chance);
    sum += chance;
  }
  const scale = sum === 0 ? 0 : Math.min(1, (challengerShare * worth) / sum);
  return { propensities: scaled(chances, scale), onTrial: false };
}

/** Shared evenly among some. @param count Number of all. */
function shared(count: number, ranks: readonly number[], share: number): readonly number[] {
  const each = inSteps(share / ranks.length);
  const propensities = [1 - each * ranks.length];
  for (let rank = 1; rank < count; rank += 1) propensities.push(0);
  for (const rank of ranks) propensities[rank] = each;
  return propensities;
}

/** Scales in place. */
function scaled(propensities: number[], scale: number): readonly number[] {
  let sum = 0;
  for (let rank = 1; rank < propensities.length; rank += 1) {
    const propensity = inSteps((propensities[rank] as number) * scale);
    propensities[rank] = propensity;
    sum += propensity;
  }
  propensities[0] = 1 - sum;
  return propensities;
}

/** Rounded down. Decisions that hardly differ have the same probabilities, which are written once for all of them. */
function inSteps(propensity: number): number {
  return Math.floor(propensity * STEPS + ROUNDING) / STEPS;
}

/** The champion, as far as others are compared with it. */
interface Match {
  readonly qualities: Qualities;
  /** Weight of the quality. */
  readonly weight: number;
  /** Mean of the utility of the champion, and its variance. */
  readonly expected: number;
  readonly variance: number;
}

function matchOf(champion: Contender, qualities: Qualities, weight: number): Match {
  const slope = slopeOf(champion, qualities, weight);
  const deviation = qualities.deviation(champion.place);
  return { qualities, weight, expected: expectedOf(champion, slope, deviation), variance: (slope * deviation) ** 2 };
}

/** Its trial has not ended yet, and is no waste: with perfect quality, it would win. */
function isOnTrial(contender: Contender, match: Match, candidates: readonly Candidate[]): boolean {
  const { qualities, weight, expected } = match;
  const { place, estimate } = contender;
  const given = qualities.given(place);
  if (given >= TRIAL_SCORES || estimate.failureRate > MOST_FAILURES) return false;
  if (asked(place, candidates, qualities) >= TRIAL_RESPONSES) return false;
  const slope = slopeOf(contender, qualities, weight);
  const atBest = expectedOf(contender, slope, qualities.deviation(place)) + slope * (1 - qualities.mean(place));
  if (atBest <= expected) return false;
  return given < LEAST_SCORES || chanceToWin(contender, match) >= WORSE_BELOW;
}

/** Responses to the task under the present settings, with a score or without, of all that are one model: does not decay. */
function asked(place: number, candidates: readonly Candidate[], { equals }: Qualities): number {
  const places = equals.find((group) => group.includes(place));
  if (!places) return candidates[place]?.fit?.everAsked ?? 0;
  return places.reduce((sum, each) => sum + (candidates[each]?.fit?.everAsked ?? 0), 0);
}

/** The probability that it has a higher utility than the champion. */
function chanceToWin(contender: Contender, { qualities, weight, expected, variance }: Match): number {
  if (contender.estimate.failureRate > MOST_FAILURES) return 0;
  const slope = slopeOf(contender, qualities, weight);
  const deviation = qualities.deviation(contender.place);
  const lead = expectedOf(contender, slope, deviation) - expected;
  const ofBoth = (slope * deviation) ** 2 + variance;
  const value = ofBoth === 0 ? HOPELESS : lead / Math.sqrt(ofBoth);
  return value <= HOPELESS ? 0 : normalProbability(value);
}

/** The probability of a normal variable to be below a value, to 0.0002: a logistic function with a cubic term. */
export function normalProbability(value: number): number {
  return 1 / (1 + Math.exp(-value * (1.5976 + 0.07056 * value * value)));
}
