import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@patchbay/contracts/clock';
import { isEndedStatus } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

const DAY_MS = 86_400_000;

/** Page size for tenants, and for executions of one tenant. */
const BATCH = { tenants: 20, executions: 100 };

/** Delete finished executions older than the given number of days, in small batches. @returns Their number. */
export async function sweepExecutions(storage: Storage, clock: Pick<Clock, 'now'>, keepDays: number): Promise<number> {
  const before = new Date(clock.now() - keepDays * DAY_MS).toISOString();
  let count = 0;
  let after: TenantId | undefined;
  for (;;) {
    const heads = after === undefined ? {} : { after };
    const oldest = await storage.scanAllTenants('executions', {}, BATCH.tenants, 'createdAt', heads);
    for (const { tenant, row } of oldest) {
      if (row.createdAt < before) count += await sweepTenant(storage, tenant, before);
    }
    if (oldest.length < BATCH.tenants) return count;
    after = oldest.at(-1)?.tenant;
    await nextTurn();
  }
}

async function sweepTenant(storage: Storage, tenant: TenantId, before: string): Promise<number> {
  const query = { sort: 'createdAt', order: 'asc', limit: BATCH.executions } as const;
  const select = ['id', 'status', 'createdAt'] as const;
  let count = 0;
  let after: { readonly value: string; readonly id: string } | undefined;
  for (;;) {
    const { rows } = await storage.list(tenant, 'executions', { ...query, select, ...(after && { after }) });
    const old = rows.filter(({ createdAt }) => createdAt < before);
    const ended = old.filter(({ status }) => isEndedStatus(status));
    const writes = ended.map(({ id }) => ({ delete: 'executions', id }) as const);
    const isDone = writes.length === 0 || (await storage.commit(tenant, writes)).done;
    if (isDone) {
      count += ended.length;
      const last = old.at(-1);
      if (last === undefined || old.length < BATCH.executions) return count;
      // Unfinished executions are skipped.
      after = { value: last.createdAt, id: last.id };
    }
    // Otherwise another server is sweeping as well: its deletions are gone when the page is read again.
    await nextTurn();
  }
}
