import type { RequestContext } from '@patchbay/contracts/context';
import type { RankedModel } from '@patchbay/contracts/router';
import type { ModelDecision } from '@patchbay/contracts/rows';
import { noneEligible, partition, requireEligible } from './eligibility.ts';
import type { ExplainedModel, ModelChoice } from './gateway-service.ts';
import type { CatalogModel, ModelCatalog } from './model-catalog.ts';
import type { ResolvedChoice } from './model-names.ts';
import { optimizeOf, type RankDependencies, rankModels } from './rank-models.ts';
import type { Requirements } from './requirements.ts';
import type { Session, SessionAffinity } from './session-affinity.ts';

export type ChosenBy = ModelDecision['by'];

/** The models to call, in order, and how the order was determined. */
export interface Plan {
  readonly models: readonly CatalogModel[];
  readonly chosenBy: ChosenBy;
  /** The ranking of the router; empty if the caller named the models. */
  readonly ranked: readonly RankedModel[];
  /** For an automatic choice in a conversation. */
  readonly session?: Session | undefined;
  /** The model that responded last in this conversation. */
  readonly heldBy?: string | undefined;
}

interface PlanDependencies extends RankDependencies {
  readonly catalog: ModelCatalog;
  readonly affinity: SessionAffinity;
}

function isAutomatic(choice: ModelChoice): boolean {
  return choice.model === undefined || choice.model === 'auto';
}

/**
 * Select the models that may serve a request, best first.
 *
 * @throws PatchbayError if a named model, or no model, can serve it.
 */
export function makePlan(
  dependencies: PlanDependencies,
  choice: ResolvedChoice<ModelChoice>,
  needs: Requirements,
  context: RequestContext,
): Plan | Promise<Plan> {
  if (isAutomatic(choice)) return chooseModels(dependencies, choice, needs, context);
  const models = namedModels(dependencies.catalog, choice, context);
  requireEligible(models, needs);
  return { models, chosenBy: 'caller', ranked: [] };
}

async function chooseModels(
  dependencies: PlanDependencies,
  choice: ResolvedChoice<ModelChoice>,
  needs: Requirements,
  context: RequestContext,
): Promise<Plan> {
  const { catalog } = dependencies;
  const sorted = partition(catalog, catalog.models, needs, context);
  if (sorted.eligible.length === 0) throw noneEligible(catalog, sorted.refused);
  const session = sessionOf(dependencies, choice, needs, context);
  const found = session?.find();
  const eligible = (await needs.canServe?.(sorted.eligible)) ?? sorted.eligible;
  const heldBy = await found;
  const { ranked, chosenBy } = await rankModels(dependencies, eligible, needs, context, heldBy);
  const models = ranked.map(({ id }) => catalog.byId.get(id) as CatalogModel);
  return { models, chosenBy, ranked, session, heldBy };
}

/** The same decision, with its inputs. */
export async function explainPlan(
  dependencies: PlanDependencies,
  choice: ResolvedChoice<ModelChoice>,
  needs: Requirements,
  context: RequestContext,
): Promise<readonly ExplainedModel[]> {
  const { catalog, deployments } = dependencies;
  const automatic = isAutomatic(choice);
  const models = automatic ? catalog.models : namedModels(catalog, choice, context);
  const { eligible, refused } = partition(catalog, models, needs, context);
  const heldBy = automatic ? await sessionOf(dependencies, choice, needs, context)?.find() : undefined;
  // The usual decision: nothing is tried at random.
  const usual = { ...dependencies, random: () => 1 - Number.EPSILON };
  const { ranked } = await rankModels(usual, eligible, needs, context, heldBy);
  const state = (id: string) => deployments.of(id).breaker.state();
  return [
    ...ranked.map(({ id, score, reason, propensity, learned }) => ({
      id,
      score,
      reason,
      ...(propensity !== undefined && { propensity }),
      ...(learned && { learned }),
      state: state(id),
    })),
    ...refused.map(({ model: { id }, refusal }) => ({ id, refused: refusal.reason, state: state(id) })),
  ];
}

function namedModels(
  catalog: ModelCatalog,
  { model, routing }: ModelChoice,
  { caller }: RequestContext,
): readonly CatalogModel[] {
  return [model as string, ...(routing?.fallbacks ?? [])].map((id) => catalog.find(id, caller.tenant));
}

function sessionOf(
  { affinity }: PlanDependencies,
  { alias }: ResolvedChoice<ModelChoice>,
  { conversing, routing }: Requirements,
  { caller }: RequestContext,
): Session | undefined {
  return conversing && affinity.of(conversing, { caller, alias, optimize: optimizeOf(routing) });
}
