import { timestamp } from '@patchbay/contracts/base/clock';
import { errorMessage } from '@patchbay/contracts/base/error-message';
import { withTimeout } from '@patchbay/contracts/base/signals';
import type { Clock } from '@patchbay/contracts/clock';
import type { ConfigOf } from '@patchbay/contracts/config-schema';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ModelInfo, Provider } from '@patchbay/contracts/provider';
import { type Optimize, optimizations, type RoutingOptions } from '@patchbay/contracts/router';
import type { TenantId } from '@patchbay/contracts/tenant';
import { type PolicyOf, passesFilter } from '../access/callers.ts';
import type { MeteredProvider } from '../usage/metered-forward.ts';
import type { gatewayOptions } from './gateway-options.ts';
import type { ModelChoice } from './gateway-service.ts';

/** An available model with its provider. */
export interface CatalogModel {
  /** `<provider>/<model_name>` */
  readonly id: string;
  /** Name under which the provider is mounted. */
  readonly provider: string;
  readonly info: ModelInfo;
  /** Publication date of the model, or else creation time of the catalogue. ISO 8601, UTC, three decimals. */
  readonly createdAt: string;
}

/** Overrides of the operator, by model id. */
export type ModelOverrides = Readonly<Record<string, Partial<Omit<ModelInfo, 'name'>>>>;

/** All models of all enabled providers. */
export interface ModelCatalog {
  readonly models: readonly CatalogModel[];
  readonly byId: ReadonlyMap<string, CatalogModel>;
  /**
   * A model that the tenant may use.
   *
   * @param pointer Where the request names it. Default: as its model.
   * @throws PatchbayError `model_not_found`; `provider_not_configured` if the provider is disabled.
   */
  find(id: string, tenant: TenantId, pointer?: string): CatalogModel;
  /** Whether the tenant's policy allows a model. */
  mayUse(tenant: TenantId, model: CatalogModel): boolean;
  /** The providers that are off, each with the reason. */
  readonly off: readonly { readonly provider: string; readonly reason: string }[];
  provider(model: CatalogModel): MeteredProvider;
}

/** A model id is split at its first slash: names of models may contain slashes. */
export function splitModelId(id: string): { readonly provider: string; readonly name: string } | undefined {
  const slash = id.indexOf('/');
  return slash > 0 && slash < id.length - 1 ? { provider: id.slice(0, slash), name: id.slice(slash + 1) } : undefined;
}

export interface CatalogOptions {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly overrides: ModelOverrides;
  /** Called once, and only if a model has a list price. */
  readonly loadPrices: () => Promise<PriceList>;
  readonly policyOf: PolicyOf;
  readonly clock: Clock;
  /** Milliseconds that one provider may take to list its models. */
  readonly timeoutMs: number;
}

export async function createModelCatalog(options: CatalogOptions): Promise<ModelCatalog> {
  const { providers, overrides, loadPrices, policyOf, clock, timeoutMs } = options;
  const madeAt = timestamp(clock);
  let prices: PriceList | undefined;
  const byId = new Map<string, CatalogModel>();
  for (const [name, provider] of providers) {
    if (provider.off !== undefined) continue;
    for (const listed of await modelsOf(name, provider, timeoutMs)) {
      const id = `${name}/${listed.name}`;
      let info: ModelInfo = { ...listed, ...overrides[id] };
      if (info.pricing === undefined && info.vendor !== undefined) {
        prices ??= await loadPrices();
        const pricing = prices(info.vendor, info.name);
        if (pricing) info = { ...info, pricing };
      }
      const createdAt = info.createdAt === undefined ? madeAt : new Date(info.createdAt).toISOString();
      byId.set(id, { id, provider: name, info, createdAt });
    }
  }
  /** A model must pass both filters of the tenant's policy: providers and models. */
  const mayUse = (tenant: TenantId, { id, provider }: CatalogModel): boolean => {
    const { providers: ofProviders, models: ofModels } = policyOf(tenant);
    if (ofProviders && !passesFilter(ofProviders, provider)) return false;
    return !ofModels || passesFilter(ofModels, id, `${provider}/*`);
  };

  return {
    models: [...byId.values()],
    byId,
    off: [...providers].flatMap(([provider, { off: reason }]) => (reason === undefined ? [] : [{ provider, reason }])),
    mayUse,
    find(id, tenant, pointer) {
      const found = byId.get(id);
      if (found && mayUse(tenant, found)) return found;
      const provider = splitModelId(id)?.provider ?? '';
      const reason = found ? undefined : providers.get(provider)?.off;
      // The same response for unknown models and for those that the tenant may not use.
      if (reason === undefined) {
        const message = `there is no model ${JSON.stringify(shortened(id))}; GET /models lists the available ones`;
        const errors =
          pointer === undefined ? [] : [{ pointer, code: 'model_not_found', detail: 'is not an available model' }];
        throw new PatchbayError('model_not_found', message, { errors });
      }
      // No `retryAfter`: the operator must configure the provider.
      const message = `the provider ${provider} of the model ${shortened(id)} is off: ${reason}`;
      throw new PatchbayError('provider_not_configured', message);
    },
    provider(model) {
      const provider = providers.get(model.provider);
      if (!provider) throw new Error(`no provider ${model.provider} is mounted`);
      return provider;
    },
  };
}

async function modelsOf(name: string, provider: Provider, timeoutMs: number): Promise<readonly ModelInfo[]> {
  try {
    return await withTimeout(provider.models(), timeoutMs);
  } catch (cause) {
    const message = `providers.${name} did not tell its models: ${errorMessage(cause)}`;
    throw new PatchbayError('plugin_start_failed', message, { cause });
  }
}

const SHOWN_ID = 100;

const shortened = (id: string): string => (id.length > SHOWN_ID ? `${id.slice(0, SHOWN_ID)}…` : id);

/** The list price of a model in USD per 1,000,000 tokens; undefined if unknown. */
export type PriceList = (vendor: string, model: string) => ModelInfo['pricing'];

/**
 * List prices of vendors, from a maintained package. Loaded on first use, because the table takes several
 * megabytes. Never fetched at run time.
 */
export async function loadPriceList(): Promise<PriceList> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return (vendor, model) => {
    const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, { providerId: vendor })?.model_price;
    const input = basePrice(found?.['input_mtok']);
    // Embedding models have no output and state no price for it.
    const output = basePrice(found?.['output_mtok']) ?? (found && input !== undefined ? 0 : undefined);
    if (input === undefined || output === undefined) return undefined;
    const cacheRead = basePrice(found?.['cache_read_mtok']);
    const cacheWrite = basePrice(found?.['cache_write_mtok']);
    return {
      input,
      output,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    };
  };
}

/** Some prices depend on the length of the prompt; this is the base price. */
function basePrice(price: unknown): number | undefined {
  if (typeof price === 'number') return price;
  const base = typeof price === 'object' && price !== null && 'base' in price ? price.base : undefined;
  return typeof base === 'number' ? base : undefined;
}

export type ModelAliases = NonNullable<ConfigOf<typeof gatewayOptions>['aliases']>;

/** A choice whose model is `auto` or the id of a model. */
export type ResolvedChoice<I extends ModelChoice> = I & {
  /** The alias that the request named. */
  readonly alias?: string;
};

/** Turns the names that callers may use for models into model ids. */
export type ResolveModel = <I extends ModelChoice>(choice: I, tenant: TenantId) => ResolvedChoice<I>;

/** Prefix of the names of functions, which can serve as models only in chats. */
export const FUNCTION_PREFIX = 'fn/';

/** Whether a name is that of a function, which may not exist. */
export const isFunctionModel = (model: string | undefined): boolean => model?.startsWith(FUNCTION_PREFIX) ?? false;

/** Whether the model of a chat is a function. */
export const asksFunction = ({ model }: { readonly model?: string }): boolean => isFunctionModel(model);

/** Model pickers show only names of Anthropic's models, so every alias has such a name as well. */
const ALIAS_PREFIX = 'anthropic/';

/**
 * The names of a model, tried in this order: `auto` and `auto:<criterion>`; `<provider>/<model_name>`; an alias, also
 * as `anthropic/<alias>`; a name without provider, if exactly one model that the tenant may use has it.
 *
 * The routing of a request takes precedence over that of its alias.
 */
export function createResolveModel(catalog: ModelCatalog, aliases: ModelAliases = {}): ResolveModel {
  const { models } = catalog;
  const ids = new Set(models.map(({ id }) => id));
  const aliasOf = (name: string): string | undefined =>
    [name, name.startsWith(ALIAS_PREFIX) ? name.slice(ALIAS_PREFIX.length) : name].find((each) =>
      Object.hasOwn(aliases, each),
    );

  const idOf = (name: string, tenant: TenantId): string => {
    if (ids.has(name)) return name;
    if (name.startsWith(FUNCTION_PREFIX)) {
      throw new PatchbayError(
        'model_not_found',
        `${FUNCTION_PREFIX}<name> is a function: only chats take one, as their model`,
      );
    }
    const named = models
      .filter((model) => model.info.name === name && catalog.mayUse(tenant, model))
      .map(({ id }) => id);
    if (named.length <= 1) return named[0] ?? name;
    const message = `several providers have a model ${name}: name one of ${named.slice(0, 5).join(', ')}`;
    throw new PatchbayError('model_not_found', message);
  };

  const withIds = <I extends ModelChoice>(choice: I, tenant: TenantId): I => {
    const { model, routing } = choice;
    const fallbacks = routing?.fallbacks?.map((name) => idOf(name, tenant));
    return {
      ...choice,
      ...(model === undefined || model === 'auto' ? {} : { model: idOf(model, tenant) }),
      ...(fallbacks && { routing: { ...routing, fallbacks } }),
    };
  };

  return (choice, tenant) => {
    const { model = 'auto', routing } = choice;
    const criterion = /^auto:(.+)$/.exec(model)?.[1];
    if (criterion !== undefined) {
      const optimize = optimizations.find((each) => each === criterion) ?? unknownCriterion(criterion);
      return withIds({ ...choice, model: 'auto', routing: { ...routing, optimize } }, tenant);
    }
    const alias = ids.has(model) ? undefined : aliasOf(model);
    const target = alias === undefined ? undefined : aliases[alias];
    if (alias === undefined || target === undefined) return withIds(choice, tenant);
    const { fallbacks, routing: its } = target;
    const merged: RoutingOptions = { ...its, ...(fallbacks && { fallbacks }), ...routing };
    return { ...withIds({ ...choice, model: target.model, routing: merged }, tenant), alias };
  };
}

function unknownCriterion(criterion: string): Optimize {
  const message = `there is no automatic choice by ${JSON.stringify(criterion.slice(0, 40))}; there are ${optimizations.join(', ')}`;
  throw new PatchbayError('model_not_found', message);
}

/**
 * Models of aliases that no provider has: requests that name such an alias fail. Models of disabled providers may
 * appear later.
 */
export function missingModels({ models, off }: ModelCatalog, aliases: ModelAliases = {}) {
  const ids = new Set(models.map(({ id }) => id));
  const isMissing = (id: string): boolean =>
    !/^auto(?::|$)/.test(id) && !ids.has(id) && !off.some(({ provider }) => id.startsWith(`${provider}/`));
  return Object.entries(aliases).flatMap(([alias, { model, fallbacks = [] }]) =>
    [model, ...fallbacks].filter(isMissing).map((missing) => ({ alias, model: missing })),
  );
}
