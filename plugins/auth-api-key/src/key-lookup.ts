import type { ApiKeyRow, Clock, Storage, TenantId } from '@patchbay/core/plugin';
import { LRUCache } from 'lru-cache';

export interface FoundKey {
  readonly tenant: TenantId;
  readonly row: ApiKeyRow;
}

/** How long a key that was read stays in force after it was revoked. */
const MAX_AGE_MS = 1_000;

/**
 * Find keys by their look-up id, with a cache short enough that a revoked key is refused within a second. Ids that do
 * not exist are remembered as well, and many requests with one key wait for a single read.
 */
export function createKeyLookup(storage: Storage, clock: Clock): (lookupId: string) => Promise<FoundKey | undefined> {
  const recent = new LRUCache<string, { readonly until: number; readonly found: Promise<FoundKey | undefined> }>({
    max: 10_000,
  });

  const read = async (lookupId: string): Promise<FoundKey | undefined> =>
    (await storage.scanAllTenants('apiKeys', { lookupId }, 1))[0];

  return (lookupId) => {
    const now = clock.monotonic();
    const known = recent.get(lookupId);
    if (known && known.until > now) return known.found;
    const found = read(lookupId);
    recent.set(lookupId, { until: now + MAX_AGE_MS, found });
    // A failed read must not be served for a second.
    found.catch(() => recent.delete(lookupId));
    return found;
  };
}
