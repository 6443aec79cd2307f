import type { Candidate, RankedModel, RouteRequest, Router } from '@patchbay/core/plugin';
import {
  createWeightedRouter,
  type Estimate,
  type Expectations,
  expectationsOf,
  rank,
  reasonOf,
  type Scored,
  taskFactor,
  type UtilityOptions,
  withChanges,
} from '@patchbay/router-weighted';
import { type Challenger, type Contender, challengersOf, type ExploringOptions } from './challengers.ts';
import { LearnedModel } from './learned-model.ts';
import { type Quality, qualitiesOf } from './qualities.ts';
import { withRepairs } from './with-repairs.ts';

export interface LearnedRouterOptions extends UtilityOptions, ExploringOptions {}

type LearnedQuality = NonNullable<RankedModel['learned']>;
type Role = LearnedQuality['role'];

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
      const ranked = (expectations: Expectations) =>
        rank(expectations, presets[request.optimize], options.targetMs, random);
      const contenders = contend(request, candidates, presets[request.optimize].quality, ranked);
      const challengers = request.mayExplore ? challengersOf(contenders, options) : [];
      return ranking(request, contenders, challengers, draw(challengers, random()));
    },
  };
}

/** By utility at the lower bound of quality: the first is the champion. */
function contend(
  request: RouteRequest,
  candidates: readonly Candidate[],
  weight: number,
  ranked: (expectations: Expectations) => readonly Scored[],
): readonly Contender[] {
  const { estimates, equals } = expectationsOf(request, candidates);
  const qualities = qualitiesOf(candidates, equals);
  const cautious = estimates.map((each, place): Estimate => {
    const { mean, deviation } = qualities[place] as Quality;
    const { cost, latencyMs } = withRepairs(each);
    return { ...each, cost, latencyMs, quality: taskFactor(each.candidate.fit) * (mean - CAUTION * deviation) };
  });
  const places = new Map(candidates.map((candidate, place) => [candidate, place]));
  return ranked({ estimates: cautious, equals }).map((scored): Contender => {
    const { candidate, failureRate } = scored.estimate;
    const quality = qualities[places.get(candidate) as number] as Quality;
    const slope = weight * (1 - failureRate) * taskFactor(candidate.fit);
    return { scored, quality, slope, expected: scored.score + slope * CAUTION * quality.deviation };
  });
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
  const challenges = new Map(challengers.map((each) => [each.contender, each]));
  const left = 1 - challengers.reduce((sum, { propensity }) => sum + propensity, 0);
  const others = contenders.filter((each) => each !== tried?.contender);
  return (tried ? [tried.contender, ...others] : others).map((contender) => {
    const isTried = contender === tried?.contender;
    const isChampion = contender === champion;
    const challenge = challenges.get(contender);
    return new LearnedModel(
      idOf(contender),
      // A model that is tried takes the score of the one whose place it takes.
      (isTried ? (champion as Contender) : contender).scored.score,
      () => reasonFor(request, contender, isTried ? { ...tried, champion } : undefined),
      isChampion ? left : (challenge?.propensity ?? 0),
      () => learnedOf(contender, isChampion ? 'champion' : roleOf(challenge)),
    );
  });
}

/** For explanations. */
function learnedOf({ quality }: Contender, role: Role): LearnedQuality {
  const { mean, deviation, count: scores } = quality;
  const bound = (place: number) => Math.min(1, Math.max(0, mean + place * 1.96 * deviation));
  return { mean, low: bound(-1), high: bound(1), scores, role };
}

function roleOf(challenge: Challenger | undefined): Role {
  if (!challenge) return 'other';
  return challenge.onTrial ? 'trial' : 'challenger';
}

const idOf = ({ scored }: Contender): string => scored.estimate.candidate.id;

function reasonFor(
  request: RouteRequest,
  { scored, quality }: Contender,
  tried: (Challenger & { readonly champion: Contender | undefined }) | undefined,
): string {
  const { mean, deviation, count } = quality;
  const learned = `${mean.toFixed(2)} ± ${(1.96 * deviation).toFixed(2)} at this task, by ${Math.round(count)} scores`;
  const told = `Quality ${learned}; ${decapitalized(reasonOf(request, asInCatalogue(scored)))}`;
  if (!tried?.champion) return told;
  const why = tried.onTrial ? 'because it has few scores' : 'in case it is better by now';
  return `Tried in place of ${idOf(tried.champion)} ${why}. ${told}`;
}

/** The figures of the weighted router, with the quality that the catalogue states. */
function asInCatalogue(scored: Scored): Scored {
  const { quality = 0.5 } = scored.estimate.candidate.info;
  return { ...scored, estimate: { ...scored.estimate, quality } };
}

const decapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
