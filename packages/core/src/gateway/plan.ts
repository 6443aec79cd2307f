import type { RequestContext } from '@patchbay/contracts/context';
import type { ErrorCode } from '@patchbay/contracts/error-codes';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { Sampling } from '@patchbay/contracts/provider';
import type { RankedModel } from '@patchbay/contracts/router';
import type { ModelDecision } from '@patchbay/contracts/rows';
import type { ExplainedModel, ModelChoice } from './gateway-service.ts';
import type { CatalogModel, ModelCatalog, ResolvedChoice } from './model-catalog.ts';
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
  const fallbacks = routing?.fallbacks ?? [];
  return [
    catalog.find(model as string, caller.tenant),
    ...fallbacks.map((id, index) => catalog.find(id, caller.tenant, `/routing/fallbacks/${index}`)),
  ];
}

function sessionOf(
  { affinity }: PlanDependencies,
  { alias }: ResolvedChoice<ModelChoice>,
  { conversing, routing }: Requirements,
  { caller }: RequestContext,
): Session | undefined {
  return conversing && affinity.of(conversing, { caller, alias, optimize: optimizeOf(routing) });
}

/** Why a model cannot serve a request. */
interface Refusal {
  readonly code: ErrorCode;
  readonly reason: string;
  /** The unsupported parameter, if any, and what its value should be. */
  readonly parameter?: keyof Sampling;
  readonly detail?: string;
}

/**
 * Decide whether a model can serve a request. Done here and not by routers, so that no router can send a prompt
 * to a provider that the caller denied.
 */
function refusalOf({ info, provider }: CatalogModel, needs: Requirements): Refusal | undefined {
  const { providers } = needs.routing;
  if (providers?.deny?.includes(provider)) return mismatch(`the provider ${provider} is denied by the request`);
  if (providers?.allow && !providers.allow.includes(provider)) {
    return mismatch(`the provider ${provider} is not allowed by the request`);
  }
  return (
    lacking(info, needs.capabilities) ??
    tooExpensive(info, needs.routing.maxPrice) ??
    refusedParameter(info, needs.sampling) ??
    tooLong(info, needs)
  );
}

/** Runs for every model of every request: makes no list of what is missing if nothing is. */
function lacking({ capabilities }: CatalogModel['info'], needed: Requirements['capabilities']): Refusal | undefined {
  for (const capability of needed) {
    if (capabilities.includes(capability)) continue;
    const missing = needed.filter((each) => !capabilities.includes(each));
    return mismatch(`lacks ${missing.join(', ')}`);
  }
  return undefined;
}

/** Neither price may exceed the limit: input can be expensive as well, and embeddings have no output price. */
function tooExpensive({ pricing }: CatalogModel['info'], maxPrice: number | undefined): Refusal | undefined {
  if (maxPrice === undefined) return undefined;
  if (!pricing) return mismatch('has no known price');
  for (const kind of ['input', 'output'] as const) {
    if (pricing[kind] > maxPrice) return mismatch(`costs ${pricing[kind]} USD per 1M ${kind} tokens`);
  }
  return undefined;
}

function refusedParameter(info: CatalogModel['info'], sampling: Sampling): Refusal | undefined {
  for (const parameter of info.unsupported ?? []) {
    if (sampling[parameter] === undefined) continue;
    return unsupported(parameter, `does not support ${parameter}`, 'is not supported by this model');
  }
  const { maxTokens, temperature } = sampling;
  if (maxTokens !== undefined && info.maxTokens !== undefined && maxTokens > info.maxTokens) {
    const most = `at most ${info.maxTokens}`;
    return unsupported('maxTokens', `makes ${most} tokens`, `must be ${most} for this model`);
  }
  if (temperature !== undefined && info.maxTemperature !== undefined && temperature > info.maxTemperature) {
    const most = `at most ${info.maxTemperature}`;
    return unsupported('temperature', `supports a temperature of ${most}`, `must be ${most} for this model`);
  }
  return undefined;
}

function tooLong(info: CatalogModel['info'], needs: Requirements): Refusal | undefined {
  if (info.contextWindow === undefined || needs.leastInputTokens <= info.contextWindow) return undefined;
  return { code: 'context_length_exceeded', reason: `has a context of ${info.contextWindow} tokens` };
}

const unsupported = (parameter: keyof Sampling, reason: string, detail: string): Refusal => ({
  code: 'unsupported_parameter',
  reason,
  parameter,
  detail,
});

const mismatch = (reason: string): Refusal => ({ code: 'model_capability_mismatch', reason });

/** @throws PatchbayError if one of the models cannot serve a request. */
function requireEligible(models: readonly CatalogModel[], needs: Requirements): void {
  for (const model of models) {
    const refusal = refusalOf(model, needs);
    if (refusal) throw refusalError(model, refusal);
  }
}

/** Models by whether they can serve a request. */
export interface Sorted {
  readonly eligible: readonly CatalogModel[];
  readonly refused: readonly { readonly model: CatalogModel; readonly refusal: Refusal }[];
}

const onlyResort = mismatch('is used only while no other model can answer');

const notAllowed: Refusal = { code: 'model_not_found', reason: 'is not allowed for this tenant' };

function partition(
  catalog: ModelCatalog,
  models: readonly CatalogModel[],
  needs: Requirements,
  { caller }: RequestContext,
): Sorted {
  const regular: CatalogModel[] = [];
  const resorts: CatalogModel[] = [];
  const refused: { model: CatalogModel; refusal: Refusal }[] = [];
  for (const model of models) {
    const refusal = catalog.mayUse(caller.tenant, model) ? refusalOf(model, needs) : notAllowed;
    if (refusal) refused.push({ model, refusal });
    else (model.info.lastResort ? resorts : regular).push(model);
  }
  if (regular.length === 0) return { eligible: resorts, refused };
  for (const model of resorts) refused.push({ model, refusal: onlyResort });
  return { eligible: regular, refused };
}

function refusalError({ id }: CatalogModel, { code, reason, parameter, detail = reason }: Refusal): PatchbayError {
  const errors: ErrorDetail[] = [{ pointer: `/${parameter ?? 'model'}`, code, detail }];
  return new PatchbayError(code, `${id} ${reason}`, { errors });
}

/** The failure of a request that no model can serve. */
function noneEligible({ models, off }: ModelCatalog, refused: Sorted['refused']): PatchbayError {
  if (models.length === 0) {
    const reasons = off.map(({ provider, reason }) => `${provider}: ${reason}`).join('; ');
    const message = `no model provider is on${reasons && ` (${reasons})`}`;
    return new PatchbayError('no_provider_available', message, { retryAfter: 60 });
  }
  const allowed = refused.filter(({ refusal }) => refusal !== notAllowed);
  if (allowed.length === 0) return new PatchbayError('model_not_found', 'no model is allowed for this tenant');
  const codes = new Set(allowed.map(({ refusal }) => refusal.code));
  const [code = 'model_capability_mismatch'] = codes.size === 1 ? codes : [];
  const errors = allowed.slice(0, 20).map(({ model, refusal }) => ({
    pointer: `/${refusal.parameter ?? 'model'}`,
    code: refusal.code,
    detail: `${model.id} ${refusal.reason}`,
  }));
  return new PatchbayError(code, 'no configured model can serve this request', { errors });
}
