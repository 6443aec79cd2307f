import type { Clock } from '@patchbay/contracts/clock';
import type { Principal } from '@patchbay/contracts/context';
import type { Storage } from '@patchbay/contracts/storage';

/** Whether the credentials of a caller were valid until a time that has passed. */
export function hasExpired({ expiresAt }: Principal, clock: Pick<Clock, 'now'>): boolean {
  return expiresAt != null && expiresAt <= clock.now();
}

/** Whether the API key of a caller was revoked or has expired since. False for callers without a key. */
export async function lostItsKey(
  { storage, clock }: { readonly storage: Pick<Storage, 'get'>; readonly clock: Pick<Clock, 'now'> },
  { id, kind, tenant }: Principal,
): Promise<boolean> {
  if (kind !== 'api-key') return false;
  const key = await storage.get(tenant, 'apiKeys', id);
  if (key === undefined) return false;
  return key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= clock.now());
}
