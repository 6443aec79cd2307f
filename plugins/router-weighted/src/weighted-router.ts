import type { RankedModel, Router } from '@patchbay/core/plugin';
import { expectationsOf, rank, type UtilityOptions } from './rank.ts';
import { reasonOf } from './reason.ts';

/** Ranks models by expected utility: quality minus cost, latency and failures. */
export function createWeightedRouter(options: UtilityOptions): Router {
  return {
    async route(request, candidates, random) {
      return rank(request, expectationsOf(request, candidates), options, random).map(
        (each): RankedModel => ({
          id: each.estimate.candidate.id,
          score: each.score,
          // Written only when it is read: for all candidates, that would take longer than everything else.
          get reason() {
            return reasonOf(request, each);
          },
        }),
      );
    },
  };
}
