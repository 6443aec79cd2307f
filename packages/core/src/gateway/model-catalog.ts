import type { PolicyOf } from '../access/tenant-policies.ts';
import { timestamp } from '../base/clock.ts';
import { errorMessage } from '../base/error-message.ts';
import { withTimeout } from '../base/signals.ts';
import type { Clock } from '../contracts/clock.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { ModelInfo, Provider } from '../contracts/provider.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { NameFilter } from '../contracts/tenant-policy.ts';

/** A model that can be asked: what it is, and who serves it. */
export interface CatalogModel {
  /** `<provider>/<model_name>` */
  readonly id: string;
  /** Name under which the provider is mounted. */
  readonly provider: string;
  readonly info: ModelInfo;
  /** When the vendor published the model, or else when the catalogue was made. ISO 8601, UTC, three decimals. */
  readonly createdAt: string;
}

/** What an operator knows better than the provider's table, by model id. */
export type ModelOverrides = Readonly<Record<string, Partial<Omit<ModelInfo, 'name'>>>>;

/** All models of all providers that are on. */
export interface ModelCatalog {
  readonly models: readonly CatalogModel[];
  /** @throws PatchbayError `model_not_found`; `provider_not_configured` where the provider is off. */
  find(id: string): CatalogModel;
  /** The providers that are off, each with the reason. */
  readonly off: readonly { readonly provider: string; readonly reason: string }[];
  provider(model: CatalogModel): Provider;
}

/** A model id is split at its first slash: names of models have slashes of their own. */
export function splitModelId(id: string): { readonly provider: string; readonly name: string } | undefined {
  const slash = id.indexOf('/');
  return slash > 0 && slash < id.length - 1 ? { provider: id.slice(0, slash), name: id.slice(slash + 1) } : undefined;
}

/** @param loadPrices Asked once, and only if some model has a list price. */
export async function createModelCatalog(
  providers: ReadonlyMap<string, Provider>,
  overrides: ModelOverrides,
  loadPrices: () => Promise<PriceList>,
  clock: Clock,
  /** Milliseconds that one provider may take to tell what it has. */
  timeoutMs: number,
): Promise<ModelCatalog> {
  const madeAt = timestamp(clock);
  let prices: PriceList | undefined;
  const entries: CatalogModel[] = [];
  for (const [provider, { off, models }] of [...providers].map(([name, each]) => [name, bound(each)] as const)) {
    if (off !== undefined) continue;
    for (const listed of await modelsOf(provider, models, timeoutMs)) {
      const id = `${provider}/${listed.name}`;
      let info: ModelInfo = { ...listed, ...overrides[id] };
      if (info.pricing === undefined && info.vendor !== undefined) {
        prices ??= await loadPrices();
        const pricing = prices(info.vendor, info.name);
        if (pricing) info = { ...info, pricing };
      }
      const createdAt = info.createdAt === undefined ? madeAt : new Date(info.createdAt).toISOString();
      entries.push({ id, provider, info, createdAt });
    }
  }
  const byId = new Map(entries.map((entry) => [entry.id, entry]));

  return {
    models: entries,
    off: [...providers].flatMap(([provider, { off: reason }]) => (reason === undefined ? [] : [{ provider, reason }])),
    find(id) {
      const found = byId.get(id);
      if (found) return found;
      const provider = splitModelId(id)?.provider ?? '';
      const reason = providers.get(provider)?.off;
      if (reason === undefined) throw modelNotFound(id);
      // Nothing that passes: somebody has to configure it.
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

async function modelsOf(provider: string, models: Provider['models'], timeoutMs: number) {
  try {
    return await withTimeout(models(), timeoutMs);
  } catch (cause) {
    const message = `providers.${provider} did not tell its models: ${errorMessage(cause)}`;
    throw new PatchbayError('plugin_start_failed', message, { cause });
  }
}

const SHOWN_ID = 100;

/** The same for a model that there is not and for one that a tenant may not use. */
export function modelNotFound(id: string): PatchbayError {
  const named = JSON.stringify(shortened(id));
  return new PatchbayError('model_not_found', `there is no model ${named}; GET /models lists those that there are`);
}

const shortened = (id: string): string => (id.length > SHOWN_ID ? `${id.slice(0, SHOWN_ID)}…` : id);

const bound = (provider: Provider) => ({ off: provider.off, models: () => provider.models() });

/** Whether a tenant may use a model. */
export type ModelAccess = (tenant: TenantId, model: CatalogModel) => boolean;

/** A model has to pass both filters of the tenant's policy: that of providers and that of models. */
export function createModelAccess(policyOf: PolicyOf): ModelAccess {
  return (tenant, { id, provider }) => {
    const { models, providers } = policyOf(tenant);
    return passes(providers, provider) && passes(models, id, `${provider}/*`);
  };
}

function passes({ allow, deny }: NameFilter = {}, ...names: readonly string[]): boolean {
  if (names.some((name) => deny?.includes(name))) return false;
  return allow === undefined || names.some((name) => allow.includes(name));
}

/** The list price of a model in USD per 1,000,000 tokens; undefined where nobody states one. */
export type PriceList = (vendor: string, model: string) => ModelInfo['pricing'];

/**
 * Prices of the vendors, from a maintained package. Loaded when the first model asks, because the table takes some
 * megabytes. Never fetched from anywhere at run time.
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

/** Some prices rise with the length of the prompt; the base is the one up to the first step. */
function basePrice(price: unknown): number | undefined {
  if (typeof price === 'number') return price;
  const base = typeof price === 'object' && price !== null && 'base' in price ? price.base : undefined;
  return typeof base === 'number' ? base : undefined;
}
