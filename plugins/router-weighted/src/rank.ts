import type { Candidate, RouteRequest } from '@patchbay/core/plugin';
import {
  drawAmongEqual,
  type EqualPlaces,
  equalDeployments,
  likeTheirEquals,
  load,
  type Scored,
} from './equal-deployments.ts';
import { estimate, type OwnEstimate, usualOutput } from './estimate.ts';
import { referenceOf, utility, type WeightChanges, type Weights } from './utility.ts';

/** The estimates for all candidates of one request. */
export interface Expectations {
  /** In the order of the candidates. */
  readonly estimates: readonly OwnEstimate[];
  readonly equals: readonly EqualPlaces[];
}

/**
 * @param equals Default: they are searched, which costs as much as the estimates.
 * @param qualityOf That of the candidate at a place. Default: by its info and its responses to the task.
 */
export function expectationsOf(
  request: RouteRequest,
  candidates: readonly Candidate[],
  equals = equalDeployments(candidates),
  qualityOf?: (place: number) => number,
): Expectations {
  const usualTokens = usualOutput(candidates);
  const single = candidates.map((each, place) => estimate(request, each, usualTokens, qualityOf?.(place)));
  return { estimates: likeTheirEquals(single, equals), equals };
}

export interface UtilityOptions {
  readonly weights: WeightChanges;
  /** Milliseconds until the last token that count as one unit of latency. */
  readonly targetMs: number;
}

/** Ranks by expected utility, best first: quality minus cost, latency and failures. Equal deployments are drawn. */
export function rank(
  { estimates, equals }: Expectations,
  weights: Weights,
  targetMs: number,
  random: () => number,
): readonly Scored[] {
  const reference = referenceOf(estimates, targetMs);
  const scored = estimates.map(
    (each, place): Scored => ({ estimate: each, place, score: utility(each, weights, reference) }),
  );
  return drawAmongEqual(scored, equals, random).sort(byRank);
}

/**
 * Compares by score; ties by who holds the prompt, by who won the draw, then by load, then by id, so that the order of
 * the candidates has no effect.
 */
function byRank(one: Scored, other: Scored): number {
  if (one.score !== other.score) return other.score - one.score;
  const warm = one.estimate.candidate.holdsPrompt ?? false;
  if (warm !== (other.estimate.candidate.holdsPrompt ?? false)) return warm ? -1 : 1;
  if (one.drawnFrom !== other.drawnFrom) return one.drawnFrom === undefined ? 1 : -1;
  const difference = load(one) - load(other);
  if (difference !== 0) return difference;
  return one.estimate.candidate.id < other.estimate.candidate.id ? -1 : 1;
}
