import type { Candidate, RouteRequest } from '@patchbay/core/plugin';
import { type Estimate, type Expectations, expectationsOf, type Scored, taskFactor } from '@patchbay/router-weighted';
import { type Quality, qualitiesOf } from './qualities.ts';
import { repairFactor } from './repair-factor.ts';

/** An estimate with the lower bound of the quality, and what that was estimated from. */
export interface CautiousEstimate extends Estimate {
  readonly learned: Quality;
}

/** A model in the order of its utility at the lower bound of its quality. */
export type Contender = Scored<CautiousEstimate>;

/** A model is judged by its mean quality less so many standard deviations: one that was lucky twice is not promoted. */
const CAUTION = 1;

/** With the quality at its lower bound, so that the first in rank is the champion. */
export function cautious(request: RouteRequest, candidates: readonly Candidate[]): Expectations<CautiousEstimate> {
  const { estimates, equals } = expectationsOf(request, candidates);
  const qualities = qualitiesOf(candidates, equals);
  // For every candidate of every request: written out, without copies.
  const judged = estimates.map((each, place): CautiousEstimate => {
    const { candidate, cost, latencyMs, fadedFromMs, failureRate, outputTokens } = each;
    const learned = qualities[place] as Quality;
    const times = repairFactor(candidate.fit);
    return {
      candidate,
      quality: taskFactor(candidate.fit) * (learned.mean - CAUTION * learned.deviation),
      cost: cost === undefined ? undefined : cost * times,
      latencyMs: latencyMs * times,
      fadedFromMs,
      failureRate,
      outputTokens,
      learned,
    };
  });
  return { estimates: judged, equals };
}

/** Utility for each unit of quality. @param weight Of the quality. */
export function slopeOf({ estimate }: Contender, weight: number): number {
  return weight * (1 - estimate.failureRate) * taskFactor(estimate.candidate.fit);
}

/** Utility at the mean of its quality. */
export function expectedOf({ score, estimate }: Contender, slope: number): number {
  return score + slope * CAUTION * estimate.learned.deviation;
}
