import type { Candidate, RouteRequest } from '@patchbay/core/plugin';
import { type Expectations, expectationsOf, type OwnEstimate, type Scored } from '@patchbay/router-weighted';
import type { Qualities } from './qualities.ts';

/** A model in the order of its utility at the lower bound of its quality. */
export type Contender = Scored;

/**
 * A model is judged by its mean quality minus this many standard deviations: one that was lucky twice is not promoted.
 */
const CAUTION = 1;

/** With the quality at its lower bound, so that the first in rank is the champion. */
export function cautious(request: RouteRequest, candidates: readonly Candidate[], qualities: Qualities): Expectations {
  const { equals, fits } = qualities;
  const lowest = (place: number) => fits.task(place) * (qualities.mean(place) - CAUTION * qualities.deviation(place));
  const expectations = expectationsOf(request, candidates, equals, lowest);
  const { estimates } = expectations;
  for (let place = 0; place < estimates.length; place += 1) {
    const times = fits.repair(place);
    if (times === 1) continue;
    const estimate = estimates[place] as OwnEstimate;
    if (estimate.cost !== undefined) estimate.cost *= times;
    estimate.latencyMs *= times;
  }
  return expectations;
}

/** Utility for each unit of quality. @param weight Of the quality. */
export function slopeOf({ estimate, place }: Contender, { fits }: Qualities, weight: number): number {
  return weight * (1 - estimate.failureRate) * fits.task(place);
}

/** Utility at the mean of its quality. @param deviation Of its quality. */
export function expectedOf({ score }: Contender, slope: number, deviation: number): number {
  return score + slope * CAUTION * deviation;
}
