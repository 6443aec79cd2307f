import type { Router } from '@patchbay/core/plugin';
import { expectationsOf, rank, type UtilityOptions } from './rank.ts';
import { Ranked } from './ranked.ts';
import { reasonOf } from './reason.ts';
import { withChanges } from './utility.ts';

/** Ranks models by expected utility: quality minus cost, latency and failures. */
export function createWeightedRouter({ weights, targetMs }: UtilityOptions): Router {
  const presets = withChanges(weights);
  return {
    async route(request, candidates, random) {
      return rank(expectationsOf(request, candidates), presets[request.optimize], targetMs, random).map(
        (each) => new Ranked(each.estimate.candidate.id, each.score, () => reasonOf(request, each)),
      );
    },
  };
}
