import { isTenantId, type Principal } from '@patchbay/core/plugin';

/** What storages take for an id (contracts, `FieldType`). */
const storable = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

const kinds: readonly string[] = ['api-key', 'user', 'service'] satisfies readonly Principal['kind'][];

/**
 * Hold what a host says about a caller against what a caller has to be: rows are stored under its tenant, and limits
 * counted by its id.
 *
 * @throws TypeError for the log of the host; to the client it is a fault of ours.
 */
export function checkPrincipal(principal: Principal): Principal {
  const { id, kind, tenant, scopes, expiresAt } = principal;
  if (typeof id !== 'string' || id.length > 255 || !storable.test(id)) {
    throw fault('id must have 1 to 255 characters, none of them a control character');
  }
  if (!kinds.includes(kind)) throw fault(`kind must be one of ${kinds.join(', ')}`);
  if (typeof tenant !== 'string' || !isTenantId(tenant)) throw fault('tenant must be one that tenantId() accepts');
  const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string');
  if (!isList) throw fault('scopes must be a list of strings');
  if (expiresAt != null && Number.isNaN(new Date(expiresAt).getTime())) {
    throw fault('expiresAt must be epoch milliseconds, or null');
  }
  return principal;
}

function fault(what: string): TypeError {
  return new TypeError(`the host named a caller who is none: its ${what}`);
}
