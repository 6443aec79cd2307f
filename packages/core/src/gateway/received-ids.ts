import { createHash } from 'node:crypto';
import { mapInTurns } from '@patchbay/contracts/base/map-in-turns';
import type { Cache } from '@patchbay/contracts/cache';
import type { Logger } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { NamedMember } from './original-request.ts';

/** How long an id can be used after it was received. */
const KEPT_MS = 2 * 3_600_000;

/**
 * Tenants may send back what they received from vendors: ids of objects that a vendor keeps, and digests of reasoning.
 * All tenants share the server's key, so an id of unknown origin may belong to another tenant.
 */
export interface ReceivedIds {
  /** Never fails: an id that could not be noted is unknown. */
  note(tenant: TenantId, provider: string, ids: readonly string[]): Promise<void>;
  /** The provider that an id came from; undefined for an unknown one. */
  originOf(tenant: TenantId, id: string): Promise<string | undefined>;
  /** @throws PatchbayError `stored_object_not_found` for an id that the tenant did not receive from this provider. */
  check(tenant: TenantId, provider: string, ids: readonly NamedMember[]): Promise<void>;
}

export function createReceivedIds(cache: Cache, logger: Pick<Logger, 'warn'>): ReceivedIds {
  const keyOf = (tenant: TenantId, id: string): string =>
    `received ${createHash('sha256')
      .update(JSON.stringify([tenant, id]))
      .digest('base64url')}`;
  const originOf: ReceivedIds['originOf'] = async (tenant, id) => {
    try {
      const found = await cache.get(keyOf(tenant, id));
      return found && Buffer.from(found).toString();
    } catch (error) {
      logger.warn('the cache does not say who sent an id', { error });
      return undefined;
    }
  };
  return {
    originOf,
    async note(tenant, provider, ids) {
      try {
        await Promise.all(ids.map((id) => cache.set(keyOf(tenant, id), Buffer.from(provider), KEPT_MS)));
      } catch (error) {
        logger.warn('an id that a provider sent could not be noted', { provider, error });
      }
    },
    async check(tenant, provider, ids) {
      const origins = await mapInTurns(ids, ({ name }) => originOf(tenant, name));
      for (const [index, { pointer }] of ids.entries()) {
        if (origins[index] === provider) continue;
        const detail = 'is not the id of an object that was received through this server';
        const errors = [{ pointer, code: 'stored_object_not_found', detail }];
        throw new PatchbayError('stored_object_not_found', 'the request names an object that is not known here', {
          errors,
        });
      }
    },
  };
}
