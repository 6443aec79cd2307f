import { createHash } from 'node:crypto';
import { mapInTurns } from '@patchbay/contracts/base/map-in-turns';
import type { Cache } from '@patchbay/contracts/cache';
import type { Logger } from '@patchbay/contracts/context';
import type { JsonObject } from '@patchbay/contracts/json';
import type { TenantId } from '@patchbay/contracts/tenant';

/** How long an item can be named after it was returned. */
const KEPT_MS = 3_600_000;

interface Item {
  readonly id?: string;
}

/**
 * The items of responses, which clients of the Responses API name in their next request instead of sending them again.
 * Only the tenant that received an item can name it.
 */
export interface KeptItems {
  /** Never fails: an item that could not be kept is unknown. */
  keep(tenant: TenantId, items: readonly Item[]): Promise<void>;
  /** The known ones, by their ids. Never fails. */
  find(tenant: TenantId, ids: readonly string[]): Promise<ReadonlyMap<string, JsonObject>>;
}

export function createKeptItems(cache: Cache, logger: Pick<Logger, 'warn'>): KeptItems {
  const keyOf = (tenant: TenantId, id: string): string => {
    const hash = createHash('sha256').update(JSON.stringify([tenant, id]));
    return `item ${hash.digest('base64url')}`;
  };
  return {
    async keep(tenant, items) {
      try {
        const named = items.filter((item) => item.id !== undefined);
        await Promise.all(
          named.map((item) => cache.set(keyOf(tenant, item.id ?? ''), Buffer.from(JSON.stringify(item)), KEPT_MS)),
        );
      } catch (error) {
        logger.warn('the items of a response could not be kept', { error });
      }
    },
    async find(tenant, ids) {
      const read = async (id: string): Promise<readonly [string, JsonObject] | undefined> => {
        const bytes = await cache.get(keyOf(tenant, id)).catch(() => undefined);
        return bytes && [id, JSON.parse(Buffer.from(bytes).toString()) as JsonObject];
      };
      const found = await mapInTurns([...new Set(ids)], read);
      return new Map(found.filter((each) => each !== undefined));
    },
  };
}
