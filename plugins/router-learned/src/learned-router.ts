import type { RankedModel, Router } from '@patchbay/core/plugin';
import { createWeightedRouter, rank, type UtilityOptions, withChanges } from '@patchbay/router-weighted';
import { type Challengers, challengersOf, type ExploringOptions, noChallengers } from './challengers.ts';
import { cautious } from './contender.ts';
import { type Decision, LearnedModel } from './learned-model.ts';

export interface LearnedRouterOptions extends UtilityOptions, ExploringOptions {}

/** Ranks models by expected utility, with the quality that the scores of a task show, and occasionally tries others. */
export function createLearnedRouter(options: LearnedRouterOptions): Router {
  const weighted = createWeightedRouter(options);
  const presets = withChanges(options.weights);
  return {
    async route(request, candidates, random, context) {
      const isScored = candidates.some(({ scores, earlierScores }) => scores?.count || earlierScores?.count);
      if (!isScored) return await weighted.route(request, candidates, random, context);
      const weights = presets[request.optimize];
      const expectations = cautious(request, candidates);
      const { qualities } = expectations;
      const contenders = rank(expectations, weights, options.targetMs, random);
      const challengers = request.mayExplore
        ? challengersOf(contenders, qualities, weights.quality, options)
        : noChallengers;
      return ranking({ request, qualities, contenders, challengers, tried: draw(challengers, random()) });
    },
  };
}

/** The rank of the one that is tried; undefined for none. */
function draw({ propensities }: Challengers, chance: number): number | undefined {
  let sum = 0;
  for (let rank = 0; rank < propensities.length; rank += 1) {
    sum += propensities[rank] as number;
    if (chance < sum) return rank;
  }
  return undefined;
}

function ranking(decision: Decision): readonly RankedModel[] {
  const { contenders, tried } = decision;
  const ranked = contenders.map((_, rank) => new LearnedModel(decision, rank));
  if (tried !== undefined) ranked.unshift(...ranked.splice(tried, 1));
  return ranked;
}
