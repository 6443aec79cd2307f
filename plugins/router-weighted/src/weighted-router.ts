import type { Router } from '@patchbay/core/plugin';
import { expectationsOf, rank, type UtilityOptions } from './rank.ts';
import { Ranked } from './ranked.ts';
import { reasonOf } from './reason.ts';

/** Ranks models by expected utility: quality minus cost, latency and failures. */
export function createWeightedRouter(options: UtilityOptions): Router {
  return {
    async route(request, candidates, random) {
      return rank(request, expectationsOf(request, candidates), options, random).map(
        (each) => new Ranked(each.estimate.candidate.id, each.score, () => reasonOf(request, each)),
      );
    },
  };
}
