import type Anthropic from '@anthropic-ai/sdk';
import { PatchbayError } from '@patchbay/core';
import type { JsonObject } from '@patchbay/core/plugin';
import type OpenAI from 'openai';
import type { CatalogModel } from '../gateway-types.ts';

/** Names of the config for models. */
export type Aliases = Readonly<Record<string, { readonly model: string }>>;

/** Pickers of Anthropic's clients show only names with this prefix, so every alias has such a name as well. */
const ALIAS_PREFIX = 'anthropic/';
const OWNER = 'patchbay';

/** A model as the clients of OpenAI and of Anthropic read it: each finds its own members, and skips the others. */
type ModelEntry = OpenAI.Model & Anthropic.ModelInfo;

/**
 * The body of `GET /v1/models`, which is the same for the clients of both vendors: the models, `auto`, and the aliases.
 *
 * @param models Those that the caller may use.
 * @param aliases Those of models that the caller may not use are left out.
 *
 * @example
 * ```ts
 * import { modelList } from '@patchbay/compat/models';
 * import type { App } from '@patchbay/core';
 *
 * type Context = Parameters<App['services']['gateway']['models']>[0];
 *
 * export const listOf = ({ services }: App, context: Context) => modelList(services.gateway.models(context));
 * ```
 */
export function modelList(models: readonly CatalogModel[], aliases: Aliases = {}): JsonObject {
  const data = entriesOf(models, aliases);
  const list = {
    object: 'list',
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
  return list as unknown as JsonObject;
}

/**
 * The body of `GET /v1/models/{id}`: of an id, an alias, the name of one model without its provider, or `auto:cost`.
 *
 * @throws PatchbayError `model_not_found`.
 */
export function modelEntry(id: string, models: readonly CatalogModel[], aliases: Aliases = {}): JsonObject {
  const listed = entriesOf(models, aliases).find((entry) => entry.id === id);
  const target = listed ? undefined : targetOf(id, models);
  const entry = listed ?? (target && entryOf(id, target));
  if (!entry) throw new PatchbayError('model_not_found', `there is no model ${JSON.stringify(id.slice(0, 200))}`);
  return entry as unknown as JsonObject;
}

function entriesOf(models: readonly CatalogModel[], aliases: Aliases): readonly ModelEntry[] {
  const entries = new Map(models.map((model) => [model.id, entryOf(model.id, model)]));
  const [first] = models;
  if (first) entries.set('auto', entryOf('auto', automatic('auto', first)));
  const named = Object.entries(aliases).flatMap(([alias, { model }]) => {
    const target = targetOf(model, models);
    if (!target) return [];
    return [alias, ALIAS_PREFIX + alias].map((id) => ({
      ...entryOf(id, target),
      owned_by: OWNER,
      display_name: alias,
    }));
  });
  // The id of a model takes precedence over an alias of the same name.
  for (const entry of named) if (!entries.has(entry.id)) entries.set(entry.id, entry);
  return [...entries.values()];
}

type Facts = Pick<CatalogModel, 'createdAt' | 'provider' | 'info'>;

const isAutomatic = (name: string): boolean => /^auto(?::(?:quality|cost|performance|balanced))?$/.test(name);

/** The automatic choice is as old as the first model, and has the properties of none. */
function automatic(name: string, { createdAt }: CatalogModel): Facts {
  return { createdAt, provider: OWNER, info: { name, capabilities: [] } };
}

/** The model behind an alias. */
function targetOf(name: string, models: readonly CatalogModel[]): Facts | undefined {
  const [first] = models;
  if (isAutomatic(name)) return first && automatic(name, first);
  const known = models.find(({ id }) => id === name);
  const [only, more] = models.filter(({ info }) => info.name === name);
  return known ?? (more ? undefined : only);
}

function entryOf(id: string, { createdAt, provider, info }: Facts): ModelEntry {
  return {
    id,
    object: 'model',
    type: 'model',
    created: Math.floor(Date.parse(createdAt) / 1_000),
    created_at: createdAt,
    owned_by: provider,
    display_name: info.name,
    max_input_tokens: info.contextWindow ?? null,
    max_tokens: info.maxTokens ?? null,
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
}
