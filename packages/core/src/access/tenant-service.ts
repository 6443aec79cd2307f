import { compareCodePoints } from '@patchbay/contracts/base/compare-code-points';
import { tenantsOf } from '@patchbay/contracts/base/tenants-of';
import type { RequestContext } from '@patchbay/contracts/context';
import type { Storage } from '@patchbay/contracts/storage';
import { isTenantId, type TenantId } from '@patchbay/contracts/tenant';
import type { CursorCodec } from '../paging/cursor.ts';

/** A tenant that has rows. Counts from 10,000 on may stand for more. */
export interface TenantSummary {
  readonly id: TenantId;
  /** API keys, including revoked and expired ones. */
  readonly keys: number;
  readonly functions: number;
  /** Beginning of the last hour with an execution or a model call. Null: there was none. */
  readonly lastUsedAt: string | null;
}

interface TenantPage {
  readonly rows: readonly TenantSummary[];
  readonly nextCursor?: string;
}

/** The tenants of an installation, for its operator. The scope of callers is checked before. */
export interface TenantService {
  /**
   * Tenants with keys, functions or usage, by id. Others have nothing that could be listed: tenants are not created.
   *
   * @param cursor That of the previous page.
   * @throws PatchbayError `invalid_request` for a cursor of another list.
   */
  list(
    page: { readonly limit: number; readonly cursor?: string | undefined },
    context: Pick<RequestContext, 'caller'>,
  ): Promise<TenantPage>;
}

interface TenantDependencies {
  readonly storage: Pick<Storage, 'list' | 'scanAllTenants'>;
  readonly cursors: CursorCodec;
}

const LIST = 'tenants';

export function createTenantService({ storage, cursors }: TenantDependencies): TenantService {
  /** Up to `count` tenants after one, in order, of those that the storage has. */
  const idsAfter = async (after: TenantId | undefined, count: number): Promise<readonly TenantId[]> => {
    const found = await Promise.all([
      firstOf(tenantsOf(storage, 'apiKeys', 'createdAt', after), count),
      firstOf(tenantsOf(storage, 'functions', 'createdAt', after), count),
      firstOf(tenantsOf(storage, 'usageHours', 'hour', after), count),
    ]);
    return [...new Set(found.flat())].sort(compareCodePoints).slice(0, count);
  };

  const summaryOf = async (id: TenantId): Promise<TenantSummary> => {
    const one = { order: 'desc', limit: 1 } as const;
    const [keys, functions, hours] = await Promise.all([
      storage.list(id, 'apiKeys', { ...one, sort: 'createdAt', select: ['id'] }),
      storage.list(id, 'functions', { ...one, sort: 'createdAt', select: ['id'] }),
      storage.list(id, 'usageHours', { ...one, sort: 'hour', select: ['id', 'hour'] }),
    ]);
    return { id, keys: keys.total, functions: functions.total, lastUsedAt: hours.rows[0]?.hour ?? null };
  };

  return {
    async list({ limit, cursor }, { caller: { tenant } }) {
      const after = cursor === undefined ? undefined : (cursors.decode(tenant, LIST, cursor).id as TenantId);
      const ids = await idsAfter(after, limit + 1);
      const rows = await Promise.all(ids.slice(0, limit).map(summaryOf));
      const last = rows.at(-1);
      if (last === undefined || ids.length <= limit) return { rows };
      return { rows, nextCursor: cursors.encode(tenant, LIST, { value: last.id, id: last.id }) };
    },
  };
}

/** Without the tenant that owns what belongs to the installation as a whole. */
async function firstOf(tenants: AsyncIterable<TenantId>, count: number): Promise<readonly TenantId[]> {
  const found: TenantId[] = [];
  for await (const tenant of tenants) {
    if (isTenantId(tenant)) found.push(tenant);
    if (found.length === count) break;
  }
  return found;
}
