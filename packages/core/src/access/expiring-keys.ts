import type { ApiKeyRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

/** A key that can be used now, but not for long. */
export interface ExpiringKey {
  readonly id: string;
  readonly name: string;
  readonly expiresAt: string;
}

const PAGE = 100;

/** Keys with a shorter lifetime, such as those of a sign-in, expire as intended. */
const SHORT_MS = 86_400_000;

/**
 * The keys of a tenant that are valid at one time and no longer at another, in order of expiry, without those created
 * for a day or less. All keys are read.
 */
export async function expiringKeys(
  storage: Pick<Storage, 'list'>,
  tenant: TenantId,
  from: number,
  to: number,
): Promise<readonly ExpiringKey[]> {
  const found: ExpiringKey[] = [];
  let after: { readonly value: string; readonly id: string } | undefined;
  for (;;) {
    const query = { sort: 'createdAt', order: 'asc', limit: PAGE, ...(after && { after }) } as const;
    const select = ['id', 'name', 'createdAt', 'expiresAt', 'revokedAt'] as const;
    const { rows } = await storage.list(tenant, 'apiKeys', { ...query, select });
    found.push(...rows.flatMap((row) => expiringKey(row, from, to)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) break;
    after = { value: last.createdAt, id: last.id };
  }
  return found.toSorted((one, other) => Date.parse(one.expiresAt) - Date.parse(other.expiresAt));
}

function expiringKey(
  {
    id,
    name,
    createdAt,
    expiresAt,
    revokedAt,
  }: Pick<ApiKeyRow, 'id' | 'name' | 'createdAt' | 'expiresAt' | 'revokedAt'>,
  from: number,
  to: number,
): readonly ExpiringKey[] {
  if (expiresAt === null || revokedAt !== null) return [];
  const at = Date.parse(expiresAt);
  const isShort = at - Date.parse(createdAt) <= SHORT_MS;
  return at > from && at <= to && !isShort ? [{ id, name, expiresAt }] : [];
}
