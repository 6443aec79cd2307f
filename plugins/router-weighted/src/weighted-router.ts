import type { RankedModel, Router } from '@patchbay/core/plugin';
import { drawAmongEqual, equalDeployments, likeTheirEquals, load, type Scored } from './equal-deployments.ts';
import { estimate } from './estimate.ts';
import { reasonOf } from './reason.ts';
import { referenceOf, utility } from './utility.ts';
import { type WeightChanges, withChanges } from './weights.ts';

export interface WeightedRouterOptions {
  readonly weights: WeightChanges;
  /** Milliseconds until the last token that count as one unit of latency. */
  readonly targetMs: number;
}

/** Ranks models by what is expected of them: quality, less what it costs, how long it takes and how often it fails. */
export function createWeightedRouter({ weights, targetMs }: WeightedRouterOptions): Router {
  const weightsOf = withChanges(weights);
  return {
    async route(request, candidates, random) {
      const single = candidates.map((candidate) => estimate(request, candidate));
      const groups = equalDeployments(single);
      const estimates = likeTheirEquals(single, groups);
      const reference = referenceOf(estimates, targetMs);
      const preset = weightsOf[request.optimize];
      const scored = estimates.map((each): Scored => ({ estimate: each, score: utility(each, preset, reference) }));
      return [...drawAmongEqual(scored, groups, random)].sort(byRank).map(
        (each): RankedModel => ({
          id: each.estimate.candidate.id,
          score: each.score,
          // Put into words where somebody asks: of all candidates that would take longer than everything else.
          get reason() {
            return reasonOf(request, each);
          },
        }),
      );
    },
  };
}

/** By score; ties by who won the draw, then by load, then by id, so that the order of the candidates plays no part. */
function byRank(one: Scored, other: Scored): number {
  if (one.score !== other.score) return other.score - one.score;
  if (one.drawnFrom !== other.drawnFrom) return one.drawnFrom === undefined ? 1 : -1;
  const difference = load(one) - load(other);
  if (difference !== 0) return difference;
  return one.estimate.candidate.id < other.estimate.candidate.id ? -1 : 1;
}
