import { createHash } from 'node:crypto';
import type { Cache } from '../contracts/cache.ts';
import type { Logger } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { NamedMember } from './original-request.ts';

/** How long an id can be used after it was received. */
const KEPT_MS = 2 * 3_600_000;

/**
 * The ids of objects that vendors keep under the key of this server, by the tenant that received them. All tenants share the
 * key, so an id that came from nowhere may be that of another one.
 */
export interface StoredIds {
  /** Never fails: an id that could not be noted is unknown. */
  note(tenant: TenantId, provider: string, ids: readonly string[]): Promise<void>;
  /** @throws PatchbayError `stored_object_not_found` for an id that the tenant did not receive from this provider. */
  check(tenant: TenantId, provider: string, ids: readonly NamedMember[]): Promise<void>;
}

export function createStoredIds(cache: Cache, logger: Pick<Logger, 'warn'>): StoredIds {
  const keyOf = (tenant: TenantId, provider: string, id: string): string =>
    `stored-id ${createHash('sha256')
      .update(JSON.stringify([tenant, provider, id]))
      .digest('base64url')}`;
  return {
    async note(tenant, provider, ids) {
      try {
        await Promise.all(ids.map((id) => cache.set(keyOf(tenant, provider, id), new Uint8Array(1), KEPT_MS)));
      } catch (error) {
        logger.warn('an id of an object at a vendor could not be noted', { provider, error });
      }
    },
    async check(tenant, provider, ids) {
      for (const { pointer, name } of ids) {
        const known = await cache.get(keyOf(tenant, provider, name)).catch(() => undefined);
        if (known) continue;
        const detail = 'is not the id of an object that was received through this server';
        const errors = [{ pointer, code: 'stored_object_not_found', detail }];
        throw new PatchbayError('stored_object_not_found', 'the request names an object that is not known here', {
          errors,
        });
      }
    },
  };
}
