import type { RequestContext } from '../contracts/context.ts';
import type { ErrorCode } from '../contracts/error-codes.ts';
import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import type { Sampling } from '../contracts/provider.ts';
import type { Candidate, RankedModel, Router, RoutingOptions } from '../contracts/router.ts';
import type { Deployments } from './deployments.ts';
import type { ExplainedModel, ModelChoice } from './gateway-service.ts';
import type { CatalogModel, ModelCatalog } from './model-catalog.ts';
import type { ResolvedChoice } from './model-names.ts';
import type { TaskFits } from './object/task-fits.ts';
import type { Requirements } from './requirements.ts';
import type { Session, SessionAffinity } from './session-affinity.ts';

/** Why a model cannot serve a request. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly reason: string;
  /** The unsupported parameter, if any. */
  readonly parameter?: keyof Sampling;
}

/**
 * Decide whether a model can serve a request. Done here and not by routers, so that no router can send a prompt
 * to a provider that the caller denied.
 */
export function refusalOf({ info, provider }: CatalogModel, needs: Requirements): Refusal | undefined {
  const { allow, deny } = needs.routing.providers ?? {};
  if (deny?.includes(provider)) return mismatch(`the provider ${provider} is denied by the request`);
  if (allow && !allow.includes(provider)) return mismatch(`the provider ${provider} is not allowed by the request`);

  const missing = needs.capabilities.filter((capability) => !info.capabilities.includes(capability));
  if (missing.length > 0) return mismatch(`lacks ${missing.join(', ')}`);

  return tooExpensive(info, needs.routing.maxPrice) ?? refusedParameter(info, needs.sampling) ?? tooLong(info, needs);
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
  const parameter = info.unsupported?.find((name) => sampling[name] !== undefined);
  if (parameter) return { code: 'unsupported_parameter', reason: `does not support ${parameter}`, parameter };
  const { maxTokens, temperature } = sampling;
  if (maxTokens !== undefined && info.maxTokens !== undefined && maxTokens > info.maxTokens) {
    const reason = `makes at most ${info.maxTokens} tokens`;
    return { code: 'unsupported_parameter', reason, parameter: 'maxTokens' };
  }
  if (temperature !== undefined && info.maxTemperature !== undefined && temperature > info.maxTemperature) {
    const reason = `supports a temperature of at most ${info.maxTemperature}`;
    return { code: 'unsupported_parameter', reason, parameter: 'temperature' };
  }
  return undefined;
}

function tooLong(info: CatalogModel['info'], needs: Requirements): Refusal | undefined {
  if (info.contextWindow === undefined || needs.leastInputTokens <= info.contextWindow) return undefined;
  return { code: 'context_length_exceeded', reason: `has a context of ${info.contextWindow} tokens` };
}

export const mismatch = (reason: string): Refusal => ({ code: 'model_capability_mismatch', reason });

/** How the first model was chosen. `affinity`: it is the model of the conversation. */
export type ChosenBy = 'caller' | 'router' | 'order' | 'affinity';

/** The models to call, in order, and how the order was determined. */
export interface Plan {
  readonly models: readonly CatalogModel[];
  readonly chosenBy: ChosenBy;
  /** The ranking of the router; empty if the caller named the models. */
  readonly ranked: readonly RankedModel[];
  /** Of an automatic choice in a conversation. */
  readonly session?: Session | undefined;
  /** The model that responded last in this conversation. */
  readonly heldBy?: string | undefined;
}

interface PlanDependencies {
  readonly fits: Pick<TaskFits, 'read'>;
  readonly catalog: ModelCatalog;
  readonly deployments: Deployments;
  /** Absent: models are called in the order of the config. */
  readonly router: Router | undefined;
  readonly affinity: SessionAffinity;
  readonly random: () => number;
}

function isAutomatic(choice: ModelChoice): boolean {
  return choice.model === undefined || choice.model === 'auto';
}

/**
 * Select the models that may serve a request, best first.
 *
 * @throws PatchbayError if a named model, or no model, can serve it.
 */
export async function makePlan(
  dependencies: PlanDependencies,
  choice: ResolvedChoice<ModelChoice>,
  needs: Requirements,
  context: RequestContext,
): Promise<Plan> {
  const { catalog } = dependencies;
  if (!isAutomatic(choice)) {
    const models = namedModels(catalog, choice, context);
    for (const model of models) {
      const refusal = refusalOf(model, needs);
      if (refusal) throw refusalError(model, refusal);
    }
    return { models, chosenBy: 'caller', ranked: [] };
  }
  const sorted = partition(catalog, catalog.models, needs, context);
  if (sorted.eligible.length === 0) throw noneEligible(catalog, sorted.refused);
  const session = sessionOf(dependencies, choice, needs, context);
  const found = session?.find();
  const eligible = (await needs.canServe?.(sorted.eligible)) ?? sorted.eligible;
  const heldBy = await found;
  const { ranked, chosenBy } = await rankWithin(dependencies, eligible, needs, context, heldBy);
  const byId = new Map(eligible.map((model) => [model.id, model]));
  const models = ranked.map(({ id }) => byId.get(id) as CatalogModel);
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
  const { ranked } = await rankWithin(dependencies, eligible, needs, context, heldBy);
  const state = (id: string) => deployments.of(id).breaker.state();
  return [
    ...ranked.map(({ id, score, reason }) => ({ id, score, reason, state: state(id) })),
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

interface Sorted {
  readonly eligible: readonly CatalogModel[];
  readonly refused: readonly { readonly model: CatalogModel; readonly refusal: Refusal }[];
}

const notAllowed: Refusal = { code: 'model_not_found', reason: 'is not allowed for this tenant' };

function partition(
  catalog: ModelCatalog,
  models: readonly CatalogModel[],
  needs: Requirements,
  { caller }: RequestContext,
): Sorted {
  const eligible: CatalogModel[] = [];
  const refused: { model: CatalogModel; refusal: Refusal }[] = [];
  for (const model of models) {
    const refusal = catalog.mayUse(caller.tenant, model) ? refusalOf(model, needs) : notAllowed;
    if (refusal) refused.push({ model, refusal });
    else eligible.push(model);
  }
  const regular = eligible.filter(({ info }) => !info.lastResort);
  if (regular.length === 0) return { eligible, refused };
  const refusal = mismatch('is used only while no other model can answer');
  const resorts = eligible.filter(({ info }) => info.lastResort).map((model) => ({ model, refusal }));
  return { eligible: regular, refused: [...refused, ...resorts] };
}

function sessionOf(
  { affinity }: PlanDependencies,
  { alias }: ResolvedChoice<ModelChoice>,
  { conversing, routing }: Requirements,
  { caller }: RequestContext,
): Session | undefined {
  return conversing && affinity.of(conversing, { caller, alias, optimize: optimizeOf(routing) });
}

const optimizeOf = ({ optimize = 'balanced' }: RoutingOptions) => optimize;

/** Rank the models within a conversation: its model comes first, unless its circuit is open. */
async function rankWithin(
  dependencies: PlanDependencies,
  models: readonly CatalogModel[],
  needs: Requirements,
  context: RequestContext,
  heldBy: string | undefined,
): Promise<Pick<Plan, 'ranked' | 'chosenBy'>> {
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
  { deployments, fits, router, random }: PlanDependencies,
  models: readonly CatalogModel[],
  needs: Requirements,
  context: RequestContext,
  heldBy: string | undefined,
): Promise<readonly RankedModel[]> {
  if (!router) return models.map(({ id }) => ({ id, score: 0, reason: 'in the order of the config' }));
  const { task } = needs;
  const fitOf = (id: string): Pick<Candidate, 'fit'> => {
    const fit = task === undefined ? undefined : fits.read({ tenant: context.caller.tenant, functionName: task }, id);
    return fit ? { fit } : {};
  };
  const candidates = models.map(
    ({ id, info }): Candidate => ({
      id,
      info,
      observed: deployments.of(id).observations.read(),
      ...fitOf(id),
      ...(id === heldBy && { holdsPrompt: true }),
    }),
  );
  const { maxTokens } = needs.sampling;
  const request = {
    optimize: optimizeOf(needs.routing),
    inputTokens: needs.inputTokens,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(task === undefined ? {} : { task }),
  };
  return ofCandidates(await router.route(request, candidates, random, context), candidates, context);
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

function refusalError({ id }: CatalogModel, { code, reason, parameter }: Refusal): PatchbayError {
  const errors: ErrorDetail[] = [{ pointer: `/${parameter ?? 'model'}`, code, detail: reason }];
  return new PatchbayError(code, `${id} ${reason}`, { errors });
}

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
