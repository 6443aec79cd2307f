import { didYouMean } from '../base/names.ts';
import type { Principal } from '../contracts/context.ts';
import { isGrantedScope, scopes as knownScopes } from '../contracts/scopes.ts';
import { isTenantId } from '../contracts/tenant.ts';

/** What storages take for an id (contracts, `FieldType`). */
const storable = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

const kinds: readonly string[] = ['api-key', 'user', 'service'] satisfies readonly Principal['kind'][];

/**
 * Check a principal that an authenticator or a host made: rows are stored under its tenant, and limits counted by its
 * id. The core checks the principals of authenticators; a binder checks those that its host names.
 *
 * @throws TypeError that names the member and, for a misspelt scope, the nearest one. It is for the log: the client gets
 *   500, as the fault is not its own.
 *
 * @example
 * ```ts
 * import { checkPrincipal, tenantId } from '@patchbay/core';
 *
 * checkPrincipal({ id: 'user|42', kind: 'user', tenant: tenantId('acme'), scopes: ['functions:execute'] });
 * ```
 */
export function checkPrincipal(principal: Principal): Principal {
  const { id, kind, tenant, scopes } = principal;
  if (typeof id !== 'string' || id.length > 255 || !storable.test(id)) {
    throw fault('id must have 1 to 255 characters, none of them a control character');
  }
  if (!kinds.includes(kind)) throw fault(`kind must be one of ${kinds.join(', ')}`);
  if (typeof tenant !== 'string' || !isTenantId(tenant)) throw fault('tenant must be one that tenantId() accepts');
  const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string');
  if (!isList) throw fault('scopes must be a list of strings');
  const unknown = scopes.find((scope) => !isGrantedScope(scope));
  if (unknown !== undefined) {
    const known = Object.keys(knownScopes);
    const hint = didYouMean(unknown, known) || `; there are ${known.join(', ')} and *`;
    throw fault(`scopes include ${JSON.stringify(unknown)}, which is not a scope${hint}`);
  }
  return principal;
}

function fault(what: string): TypeError {
  return new TypeError(`the principal is not valid: its ${what}`);
}
