import type { ConfigOf } from '@patchbay/contracts/config-schema';
import { PatchbayError } from '@patchbay/contracts/errors';
import { type Optimize, optimizations, type RoutingOptions } from '@patchbay/contracts/router';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { gatewayOptions } from './gateway-options.ts';
import type { ModelChoice } from './gateway-service.ts';
import type { ModelCatalog } from './model-catalog.ts';

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
