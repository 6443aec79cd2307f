import { setImmediate as nextTurn } from 'node:timers/promises';
import { tenantsOf } from '@patchbay/contracts/base/tenants-of';
import type { Clock } from '@patchbay/contracts/clock';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

const DAY_MS = 86_400_000;
const PAGE = 100;

/** How much of the content of calls is kept: for how many days, and how many bytes per tenant. */
export interface ContentRetention {
  readonly contentDays: number;
  readonly contentMaxBytes: number;
}

/** Content is read through its record, and not kept longer. */
export function contentRetention(options: ContentRetention & { readonly keepDays: number }): ContentRetention {
  const { contentDays, contentMaxBytes, keepDays } = options;
  return { contentDays: Math.min(contentDays, keepDays), contentMaxBytes };
}

/**
 * Delete content that is too old, and the oldest of tenants that have too much, in steps, and return how many. Their
 * records stay.
 */
export async function sweepContents(
  storage: Pick<Storage, 'scanAllTenants' | 'list' | 'commit'>,
  clock: Pick<Clock, 'now'>,
  { contentDays, contentMaxBytes }: ContentRetention,
): Promise<number> {
  const from = new Date(clock.now() - contentDays * DAY_MS).toISOString();
  let count = 0;
  for await (const tenant of tenantsOf(storage, 'callContents', 'createdAt')) {
    const oldest = await firstKept(storage, tenant, contentMaxBytes);
    count += await deleteBefore(storage, tenant, oldest !== undefined && oldest > from ? oldest : from);
  }
  return count;
}

/** The time from which content is kept within the size limit. Undefined: all of it. */
async function firstKept(
  storage: Pick<Storage, 'list'>,
  tenant: TenantId,
  maxBytes: number,
): Promise<string | undefined> {
  const query = { sort: 'createdAt', order: 'desc', limit: PAGE, select: ['id', 'createdAt', 'bytes'] } as const;
  let bytes = 0;
  let after: { readonly value: string; readonly id: string } | undefined;
  for (; ; await nextTurn()) {
    const { rows } = await storage.list(tenant, 'callContents', { ...query, ...(after && { after }) });
    for (const row of rows) {
      bytes += row.bytes;
      // Those of the same millisecond stay with it: the next one is later.
      if (bytes > maxBytes) return new Date(Date.parse(row.createdAt) + 1).toISOString();
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return undefined;
    after = { value: last.createdAt, id: last.id };
  }
}

async function deleteBefore(
  storage: Pick<Storage, 'list' | 'commit'>,
  tenant: TenantId,
  time: string,
): Promise<number> {
  const query = { sort: 'createdAt', order: 'asc', limit: PAGE, select: ['id', 'createdAt'] } as const;
  for (let count = 0; ; await nextTurn()) {
    const { rows } = await storage.list(tenant, 'callContents', query);
    const leaving = rows.filter(({ createdAt }) => createdAt < time);
    if (leaving.length === 0) return count;
    const { done } = await storage.commit(
      tenant,
      leaving.map(({ id }) => ({ delete: 'callContents', id })),
    );
    // Another server does the same.
    if (!done) return count;
    count += leaving.length;
  }
}
