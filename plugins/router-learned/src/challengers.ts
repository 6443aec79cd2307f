import { type Contender, expectedOf, slopeOf } from './contender.ts';
import type { Qualities } from './qualities.ts';

/** The models that may be called in place of the champion: all of them on trial, or none. */
export interface Challengers {
  /** The probability with which each contender is, in their order. Empty: none may be. */
  readonly propensities: readonly number[];
  /** They have too few scores to be judged. */
  readonly onTrial: boolean;
}

export const noChallengers: Challengers = { propensities: [], onTrial: false };

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

/** How often each contender may be called in place of the first. @param weight Of the quality. */
export function challengersOf(
  contenders: readonly Contender[],
  qualities: Qualities,
  weight: number,
  { trialShare, challengerShare }: ExploringOptions,
): Challengers {
  const [champion] = contenders;
  if (!champion) return noChallengers;
  const slope = slopeOf(champion, weight);
  const usual = qualities.deviation(champion.place);
  const expected = expectedOf(champion, slope, usual);
  const chances: number[] = [];
  const isTrial = contenders.map(() => false);
  let [count, sum, trials] = [0, 0, 0];
  for (let rank = 0; rank < contenders.length; rank += 1) {
    const contender = contenders[rank] as Contender;
    const { place } = contender;
    count += qualities.count(place);
    chances.push(0);
    if (rank === 0 || contender.estimate.failureRate > MOST_FAILURES) continue;
    const itsSlope = slopeOf(contender, weight);
    const deviation = qualities.deviation(place);
    const lead = expectedOf(contender, itsSlope, deviation) - expected;
    const chance = chanceToWin(lead, (itsSlope * deviation) ** 2 + (slope * usual) ** 2);
    const isPromising = lead + itsSlope * (1 - qualities.mean(place)) > 0;
    if (isPromising && isOnTrial(qualities, place, chance)) {
      isTrial[rank] = true;
      trials += 1;
    }
    chances[rank] = chance;
    sum += chance;
  }
  const worth = Math.min(1, count / FULL_SHARE_SCORES);
  if (trials > 0) {
    const share = (trialShare * worth) / trials;
    for (let rank = 0; rank < chances.length; rank += 1) chances[rank] = isTrial[rank] ? share : 0;
    return { propensities: chances, onTrial: true };
  }
  if (sum === 0) return noChallengers;
  const scale = Math.min(1, (challengerShare * worth) / sum);
  return { propensities: chances.map((chance) => chance * scale), onTrial: false };
}

/** Its trial has not ended yet. */
function isOnTrial(qualities: Qualities, place: number, chance: number): boolean {
  const given = qualities.given(place);
  if (given >= TRIAL_SCORES || qualities.asked(place) >= TRIAL_RESPONSES) return false;
  return given < LEAST_SCORES || chance >= WORSE_BELOW;
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
