import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import type { Candidate, RankedModel, Router, RoutingOptions } from '@patchbay/contracts/router';
import type { Deployments } from './deployments.ts';
import type { CatalogModel } from './model-catalog.ts';
import type { TaskRecords } from './model-performance/task-records.ts';
import type { Requirements } from './requirements.ts';

export interface RankDependencies {
  readonly deployments: Deployments;
  readonly records: Pick<TaskRecords, 'find'>;
  /** Absent: models are called in the order of the config. */
  readonly router: Router | undefined;
  readonly random: () => number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface Ranking {
  readonly ranked: readonly RankedModel[];
  readonly chosenBy: 'router' | 'order' | 'affinity';
}

export const optimizeOf = ({ optimize = 'balanced' }: RoutingOptions) => optimize;

/** Rank models, best first. Within a conversation its model comes first, unless its circuit is open. */
export async function rankModels(
  dependencies: RankDependencies,
  models: readonly CatalogModel[],
  needs: Requirements,
  context: RequestContext,
  heldBy: string | undefined,
): Promise<Ranking> {
  const { deployments, router } = dependencies;
  const ranked = await rank(dependencies, models, needs, context, heldBy);
  const held = ranked.find(({ id }) => id === heldBy);
  if (!held || deployments.of(held.id).breaker.waitMs() > 0) return { ranked, chosenBy: router ? 'router' : 'order' };
  const sticky: RankedModel = {
    id: held.id,
    score: held.score,
    get reason() {
      return `Sticky: it responded before in this conversation. ${held.reason}`;
    },
  };
  return { ranked: [sticky, ...ranked.filter((each) => each !== held)], chosenBy: 'affinity' };
}

async function rank(
  { deployments, records, router, random, clock }: RankDependencies,
  models: readonly CatalogModel[],
  needs: Requirements,
  context: RequestContext,
  heldBy: string | undefined,
): Promise<readonly RankedModel[]> {
  if (!router) return models.map(({ id }) => ({ id, score: 0, reason: 'in the order of the config' }));
  const { task } = needs;
  const { tenant } = context.caller;
  const found = task && records.find({ tenant, functionName: task.functionName }, task.settingsVersion);
  // Nearly always in memory: no request awaits a promise needlessly.
  const recordOf = found instanceof Promise ? await found : found;
  const now = clock.monotonic();
  const candidates = models.map(({ id, info }): Candidate => {
    const record = recordOf?.(id);
    return {
      id,
      info,
      observed: deployments.of(id).observations.read(now),
      fit: record?.fit,
      scores: record?.scores,
      earlierScores: record?.earlierScores,
      holdsPrompt: id === heldBy,
    };
  });
  const { maxTokens } = needs.sampling;
  const request = {
    optimize: optimizeOf(needs.routing),
    inputTokens: needs.inputTokens,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(task && { task: task.functionName, mayExplore: !context.trial && mayExplore(needs) }),
  };
  return ofCandidates(await router.route(request, candidates, random, context), candidates, context);
}

/** A conversation stays on its model, and one task reveals nothing about another. */
function mayExplore({ conversing, routing }: Requirements): boolean {
  return !conversing && (routing.explore ?? true);
}

/** The validated ranking of a router, each candidate once: a faulty router cannot select an excluded model. */
function ofCandidates(
  ranked: readonly RankedModel[],
  candidates: readonly Candidate[],
  { logger }: RequestContext,
): readonly RankedModel[] {
  const left = new Set(candidates.map(({ id }) => id));
  const kept = ranked.filter(({ id }) => left.delete(id));
  if (kept.length === ranked.length && left.size === 0) return ranked;
  logger.warn('the router did not rank every candidate exactly once', {
    ranked: ranked.map(({ id }) => id),
    leftOut: [...left],
  });
  const score = Math.min(0, ...kept.map((model) => model.score));
  return [...kept, ...[...left].map((id) => ({ id, score, reason: 'left out by the router' }))];
}
