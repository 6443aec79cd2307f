import type { RankedModel, RouteRequest, Router } from '@patchbay/core/plugin';
import { createWeightedRouter, rank, type UtilityOptions, withChanges } from '@patchbay/router-weighted';
import { type Challengers, challengersOf, type ExploringOptions, noChallengers } from './challengers.ts';
import { type Contender, cautious } from './contender.ts';
import { LearnedModel } from './learned-model.ts';

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
      const contenders = rank(cautious(request, candidates), weights, options.targetMs, random);
      const challengers = request.mayExplore ? challengersOf(contenders, weights.quality, options) : noChallengers;
      return ranking(request, contenders, challengers, draw(challengers, random()));
    },
  };
}

/** The place of the one that is tried; undefined for none. */
function draw({ propensities }: Challengers, chance: number): number | undefined {
  let sum = 0;
  for (let place = 0; place < propensities.length; place += 1) {
    sum += propensities[place] as number;
    if (chance < sum) return place;
  }
  return undefined;
}

function ranking(
  request: RouteRequest,
  contenders: readonly Contender[],
  challengers: Challengers,
  tried: number | undefined,
): readonly RankedModel[] {
  const { propensities } = challengers;
  const decision = { request, contenders, challengers, tried };
  const left = 1 - propensities.reduce((sum, propensity) => sum + propensity, 0);
  const ranked: RankedModel[] = [];
  const add = (place: number): void => {
    ranked.push(new LearnedModel(decision, place, place === 0 ? left : (propensities[place] ?? 0)));
  };
  if (tried !== undefined) add(tried);
  for (let place = 0; place < contenders.length; place += 1) if (place !== tried) add(place);
  return ranked;
}
