import type { PolicyOf } from '../access/tenant-policies.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { NameFilter } from '../contracts/tenant-policy.ts';
import type { CatalogModel } from './model-catalog.ts';

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
