import type { Candidate, RankedModel, RouteRequest, Router } from '@patchbay/core/plugin';
import {
  createWeightedRouter,
  type Estimate,
  type Expectations,
  expectationsOf,
  rank,
  type Scored,
  taskFactor,
  type UtilityOptions,
  withChanges,
} from '@patchbay/router-weighted';
import { type Challenger, type Contender, challengersOf, type ExploringOptions } from './challengers.ts';
import { LearnedModel } from './learned-model.ts';
import { type Quality, qualitiesOf } from './qualities.ts';
import { repairFactor } from './repair-factor.ts';

export interface LearnedRouterOptions extends UtilityOptions, ExploringOptions {}

/** An estimate with the lower bound of the quality, and what that was estimated from. */
interface CautiousEstimate extends Estimate {
  readonly learned: Quality;
}

/** A model is judged by its mean quality less so many standard deviations: one that was lucky twice is not promoted. */
const CAUTION = 1;

/** Ranks models by expected utility, with the quality that the scores of a task show, and occasionally tries others. */
export function createLearnedRouter(options: LearnedRouterOptions): Router {
  const weighted = createWeightedRouter(options);
  const presets = withChanges(options.weights);
  return {
    async route(request, candidates, random, context) {
      const isScored = candidates.some(({ scores, earlierScores }) => scores?.count || earlierScores?.count);
      if (!isScored) return await weighted.route(request, candidates, random, context);
      const weights = presets[request.optimize];
      const scored = rank(cautious(request, candidates), weights, options.targetMs, random);
      const contenders = scored.map((each) => contenderOf(each, weights.quality));
      const challengers = request.mayExplore ? challengersOf(contenders, options) : [];
      return ranking(request, contenders, challengers, draw(challengers, random()));
    },
  };
}

/** With the quality at its lower bound, so that the first in rank is the champion. */
function cautious(request: RouteRequest, candidates: readonly Candidate[]): Expectations<CautiousEstimate> {
  const { estimates, equals } = expectationsOf(request, candidates);
  const qualities = qualitiesOf(candidates, equals);
  const judged = estimates.map((each, place): CautiousEstimate => {
    const learned = qualities[place] as Quality;
    const { fit } = each.candidate;
    const times = repairFactor(fit);
    return {
      ...each,
      quality: taskFactor(fit) * (learned.mean - CAUTION * learned.deviation),
      cost: each.cost === undefined ? undefined : each.cost * times,
      latencyMs: each.latencyMs * times,
      learned,
    };
  });
  return { estimates: judged, equals };
}

function contenderOf(scored: Scored<CautiousEstimate>, weight: number): Contender {
  const { candidate, failureRate, learned: quality } = scored.estimate;
  const slope = weight * (1 - failureRate) * taskFactor(candidate.fit);
  return { scored, quality, slope, expected: scored.score + slope * CAUTION * quality.deviation };
}

function draw(challengers: readonly Challenger[], chance: number): Challenger | undefined {
  let sum = 0;
  return challengers.find(({ propensity }) => {
    sum += propensity;
    return chance < sum;
  });
}

function ranking(
  request: RouteRequest,
  contenders: readonly Contender[],
  challengers: readonly Challenger[],
  tried: Challenger | undefined,
): readonly RankedModel[] {
  const [champion] = contenders;
  if (!champion) return [];
  const decision = { request, champion, tried };
  const left = 1 - challengers.reduce((sum, { propensity }) => sum + propensity, 0);
  const first: RankedModel[] = [];
  const others: RankedModel[] = [];
  // Challengers are in the order of the contenders.
  let next = 0;
  for (const contender of contenders) {
    const challenge = challengers[next]?.contender === contender ? challengers[next] : undefined;
    if (challenge) next += 1;
    const propensity = contender === champion ? left : (challenge?.propensity ?? 0);
    const model = new LearnedModel(decision, contender, challenge, propensity);
    (contender === tried?.contender ? first : others).push(model);
  }
  return [...first, ...others];
}
