import type { TenantId } from '@patchbay/contracts/tenant';
import type { NameFilter, TenantPolicy } from '@patchbay/contracts/tenant-policy';

export type PolicyOf = (tenant: TenantId) => TenantPolicy;

const everything: TenantPolicy = {};

/** @param configured By tenant; `*` applies to all that are not named. A tenant's own policy replaces that of `*`. */
export function createTenantPolicies(configured: Readonly<Record<string, TenantPolicy>> = {}): PolicyOf {
  const byTenant = new Map(Object.entries(configured));
  const others = byTenant.get('*') ?? everything;
  return (tenant) => byTenant.get(tenant) ?? others;
}

/** Whether one of the names is allowed, and none of them denied. */
export function passesFilter({ allow, deny }: NameFilter = {}, ...names: readonly string[]): boolean {
  if (names.some((name) => deny?.includes(name))) return false;
  return allow === undefined || names.some((name) => allow.includes(name));
}
