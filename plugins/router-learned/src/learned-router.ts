import type { RankedModel, Router } from '@patchbay/core/plugin';
import { createWeightedRouter, rank, type UtilityOptions, withChanges } from '@patchbay/router-weighted';
import { type Challengers, challengersOf, type ExploringOptions } from './challengers.ts';
import { cautious } from './contender.ts';
import { type Decision, LearnedModel } from './learned-model.ts';
import { createQualitiesOf } from './qualities.ts';

export interface LearnedRouterOptions extends UtilityOptions, ExploringOptions {}

/** Ranks models by expected utility, with the quality that the scores of a task show, and occasionally tries others. */
export function createLearnedRouter(options: LearnedRouterOptions): Router {
  const weighted = createWeightedRouter(options);
  const presets = withChanges(options.weights);
  const qualitiesOf = createQualitiesOf();
  return {
    async route(request, candidates, random, context) {
      const qualities = qualitiesOf(candidates);
      if (!qualities) return await weighted.route(request, candidates, random, context);
      const weights = presets[request.optimize];
      const contenders = rank(cautious(request, candidates, qualities), weights, options.targetMs, random);
      if (!request.mayExplore) return ranking({ request, qualities, contenders, challengers: undefined, tried: 0 });
      const challengers = challengersOf(contenders, candidates, qualities, weights.quality, options);
      return ranking({ request, qualities, contenders, challengers, tried: draw(challengers, random()) });
    },
  };
}

/** The rank of the one that is called first: 0 where no other one is tried. */
function draw({ propensities }: Challengers, chance: number): number {
  let sum = 0;
  for (let rank = 1; rank < propensities.length; rank += 1) {
    sum += propensities[rank] as number;
    if (chance < sum) return rank;
  }
  return 0;
}

function ranking(decision: Decision): readonly RankedModel[] {
  const { contenders, tried } = decision;
  const ranked = contenders.map((_, rank) => new LearnedModel(decision, rank));
  if (tried > 0) ranked.unshift(...ranked.splice(tried, 1));
  return ranked;
}
