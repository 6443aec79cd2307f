import { type Announce, type Clock, type KeyIssuer, operatorScopes, type TenantId } from '@patchbay/core/plugin';
import type { ApiKeyRow, Storage } from '@patchbay/core/storage';

/** Make an admin key for an empty store, and show it to the operator: the only time that it can be seen. */
export async function createFirstKey(options: {
  readonly announce: Announce;
  readonly clock: Clock;
  readonly storage: Storage;
  readonly keys: KeyIssuer;
  readonly tenant: TenantId;
}): Promise<void> {
  const { announce, clock, storage, keys, tenant } = options;
  const { key, lookupId, secretHash } = keys.issue();
  const row: ApiKeyRow = {
    // The same in every store, so that of two hosts that start at once only one makes a key.
    id: 'key_00000000000000000000000001',
    revision: 1,
    lookupId,
    name: 'First admin key',
    secretHash,
    scopes: ['*', ...operatorScopes],
    createdAt: new Date(clock.now()).toISOString(),
    createdBy: 'system',
    expiresAt: null,
    revokedAt: null,
    ipAddresses: null,
    rateLimit: null,
    budget: null,
    lastUsedAt: null,
    rotatedAt: null,
    previousHash: null,
    previousUntil: null,
  };
  const result = await storage.commit(tenant, [{ insert: 'apiKeys', row }]);
  if (!result.done) return;
  try {
    announce({
      title: 'Admin API key',
      value: key,
      hint: 'Shown this once; keep it. Whoever has it may do everything.',
    });
  } catch (error) {
    // A key that nobody has seen would keep the next start from making one.
    await storage.commit(tenant, [{ delete: 'apiKeys', id: row.id }]);
    throw error;
  }
}
