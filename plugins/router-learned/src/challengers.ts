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
/** A probability is a whole number of these: hundred-thousandths. Of less, a model would not be tried in the life of a score. */
const STEPS = 100_000;
/** Binary fractions are inexact: a hundredth is a thousand steps, and not 999. */
const ROUNDING = 1e-6;
/** More failures than this are no time to try a model. */
const MOST_FAILURES = 0.3;

/** Of the contenders for one request, the champion first. @param weight Of the quality. */
export function challengersOf(
  contenders: readonly Contender[],
  candidates: readonly Candidate[],
  qualities: Qualities,
  weight: number,
  { trialShare, challengerShare }: ExploringOptions,
): Challengers {
  const champion = contenders[0] as Contender;
  const slope = slopeOf(champion, weight);
  const usual = qualities.deviation(champion.place);
  const expected = expectedOf(champion, slope, usual);
  const chances: number[] = [0];
  const trials: number[] = [];
  let sum = 0;
  for (let rank = 1; rank < contenders.length; rank += 1) {
    const contender = contenders[rank] as Contender;
    if (contender.estimate.failureRate > MOST_FAILURES) {
      chances.push(0);
      continue;
    }
    const { place } = contender;
    const itsSlope = slopeOf(contender, weight);
    const deviation = qualities.deviation(place);
    const lead = expectedOf(contender, itsSlope, deviation) - expected;
    const chance = chanceToWin(lead, (itsSlope * deviation) ** 2 + (slope * usual) ** 2);
    const isPromising = lead + itsSlope * (1 - qualities.mean(place)) > 0;
    if (isPromising && isOnTrial(place, candidates, qualities, chance)) trials.push(rank);
    chances.push(chance);
    sum += chance;
  }
  const worth = Math.min(1, qualities.total / FULL_SHARE_SCORES);
  if (trials.length > 0) return { propensities: shared(chances, trials, trialShare * worth), onTrial: true };
  const scale = sum === 0 ? 0 : Math.min(1, (challengerShare * worth) / sum);
  return { propensities: scaled(chances, scale), onTrial: false };
}

/** Evenly among some, in place of what the numbers were. */
function shared(propensities: number[], ranks: readonly number[], share: number): readonly number[] {
  const each = inSteps(share / ranks.length);
  propensities.fill(0);
  for (const rank of ranks) propensities[rank] = each;
  propensities[0] = 1 - each * ranks.length;
  return propensities;
}

/** In place. */
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

/** Its trial has not ended yet. */
function isOnTrial(place: number, candidates: readonly Candidate[], qualities: Qualities, chance: number): boolean {
  const given = qualities.given(place);
  if (given >= TRIAL_SCORES || asked(place, candidates, qualities) >= TRIAL_RESPONSES) return false;
  return given < LEAST_SCORES || chance >= WORSE_BELOW;
}

/** Responses to the task under the present settings, with a score or without, of all that are one model: does not decay. */
function asked(place: number, candidates: readonly Candidate[], { equals }: Qualities): number {
  const places = equals.find((group) => group.includes(place));
  if (!places) return candidates[place]?.fit?.everAsked ?? 0;
  return places.reduce((sum, each) => sum + (candidates[each]?.fit?.everAsked ?? 0), 0);
}

/** The probability that it has a higher utility than the champion. @param lead Mean of the difference between the two. */
function chanceToWin(lead: number, variance: number): number {
  const value = variance === 0 ? HOPELESS : lead / Math.sqrt(variance);
  return value <= HOPELESS ? 0 : normalProbability(value);
}

/** The probability of a normal variable to be below a value, to 0.0002: a logistic function with a cubic term. */
export function normalProbability(value: number): number {
  return 1 / (1 + Math.exp(-value * (1.5976 + 0.07056 * value * value)));
}
