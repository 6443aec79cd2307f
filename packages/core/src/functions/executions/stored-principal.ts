import type { Clock } from '../../contracts/clock.ts';
import type { Principal } from '../../contracts/context.ts';
import type { JsonObject } from '../../contracts/json.ts';
import type { Storage } from '../../contracts/storage.ts';
import type { TenantId } from '../../contracts/tenant.ts';

/** What is kept of a caller for as long as its execution waits. The tenant is that of the row. */
export function storedPrincipal(caller: Principal): JsonObject {
  return JSON.parse(JSON.stringify({ ...caller, tenant: undefined })) as JsonObject;
}

export function restoredPrincipal(tenant: TenantId, stored: JsonObject): Principal {
  return { ...(stored as unknown as Principal), tenant };
}

/** Whether the API key of a caller has been revoked, or has expired, since. Callers of other kinds have none. */
export async function lostItsKey(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  { id, kind, tenant }: Principal,
): Promise<boolean> {
  if (kind !== 'api-key') return false;
  const key = await storage.get(tenant, 'apiKeys', id);
  if (key === undefined) return false;
  return key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= clock.now());
}
