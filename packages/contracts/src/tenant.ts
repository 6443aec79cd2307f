import { PatchbayError } from './errors.ts';

declare const brand: unique symbol;

/**
 * The owner of data. Everything that is stored belongs to exactly one tenant, and every storage method takes it first.
 * The brand makes it a compile error to pass any other string, or nothing, as a tenant.
 */
export type TenantId = string & { readonly [brand]: 'tenant' };

/**
 * Validate a configured or claimed name as a tenant.
 *
 * @throws PatchbayError `invalid_request` unless `value` has 1 to 128 characters out of letters, digits and `._:@|-`, and
 *   does not begin with `patchbay:`, which is reserved.
 *
 * @example
 * ```ts
 * import { tenantId } from '@patchbay/core/plugin';
 *
 * const tenant = tenantId('acme');
 * console.log(tenant); // acme
 * ```
 */
export function tenantId(value: string): TenantId {
  if (isTenantId(value)) return value;
  throw new PatchbayError(
    'invalid_request',
    'a tenant is 1 to 128 letters, digits or ._:@|-, and does not begin with patchbay:',
  );
}

/**
 * Whether a string can be the name of a tenant.
 *
 * @example
 * ```ts
 * import { isTenantId } from '@patchbay/core/plugin';
 *
 * console.log(isTenantId('acme'), isTenantId('Acme & Sons')); // true false
 * ```
 */
export function isTenantId(value: string): value is TenantId {
  return /^(?!patchbay:)[\w.:@|-]{1,128}$/.test(value);
}

/** Owner of the data of the whole installation. No caller can belong to it: its prefix is reserved. */
export const installationTenant = 'patchbay:installation' as TenantId;
