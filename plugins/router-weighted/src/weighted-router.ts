import type { Router } from '@patchbay/core/plugin';
import { expectationsOf, rank, type UtilityOptions } from './rank.ts';
import { Ranked } from './ranked.ts';
import { withChanges } from './utility.ts';

/** Ranks models by expected utility: quality minus cost, latency and failures. */
export function createWeightedRouter({ weights, targetMs }: UtilityOptions): Router {
  const presets = withChanges(weights);
  return {
    async route(request, candidates, random) {
      const scored = rank(expectationsOf(request, candidates), presets[request.optimize], targetMs, random);
      return scored.map((each) => new Ranked(request, each));
    },
  };
}
