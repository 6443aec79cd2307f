import {
  type AddressFilter,
  type ApiKeyRow,
  type Clock,
  createAddressFilter,
  type Principal,
  type Storage,
} from '@patchbay/core/plugin';
import { LRUCache } from 'lru-cache';

/** A key as it was read, with what every request with it needs. */
export interface FoundKey {
  readonly row: ApiKeyRow;
  readonly principal: Principal;
  /** Absent: the key may be used from everywhere. */
  readonly mayComeFrom: AddressFilter | undefined;
  readonly expiresAt: number;
  readonly previousUntil: number;
}

/** How long a key that was read stays in force after it was changed, in this process and in all others. */
const MAX_AGE_MS = 1_000;

/**
 * Find keys by their look-up id, with a cache short enough that a revoked key is refused within a second. Ids that do
 * not exist are remembered as well, and many requests with one key wait for a single read. What is cached is the stored
 * key and never that a token was good: the secret of every request is compared.
 */
export function createKeyLookup(storage: Storage, clock: Clock): (lookupId: string) => Promise<FoundKey | undefined> {
  const recent = new LRUCache<string, { readonly until: number; readonly found: Promise<FoundKey | undefined> }>({
    max: 10_000,
  });

  const read = async (lookupId: string): Promise<FoundKey | undefined> => {
    const [found] = await storage.scanAllTenants('apiKeys', { lookupId }, 1);
    if (!found) return undefined;
    const { tenant, row } = found;
    const { id, scopes, rateLimit, budget, ipAddresses } = row;
    const limits = { ...(rateLimit && { rateLimit }), ...(budget && { budget }) };
    const isLimited = rateLimit !== null || budget !== null;
    return {
      row,
      principal: { id, kind: 'api-key', tenant, scopes, ...(isLimited && { limits }) },
      mayComeFrom: ipAddresses ? createAddressFilter(ipAddresses) : undefined,
      expiresAt: timeOf(row.expiresAt, Number.POSITIVE_INFINITY),
      previousUntil: timeOf(row.previousUntil, 0),
    };
  };

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

function timeOf(time: string | null, otherwise: number): number {
  return time === null ? otherwise : Date.parse(time);
}
