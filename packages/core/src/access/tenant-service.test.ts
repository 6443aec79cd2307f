import type { UsageHourRow } from '@patchbay/contracts/rows';
import { installationTenant, type TenantId, tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { rootSecret } from '../functions/fixtures/function-parts.ts';
import { createCursorCodec } from '../paging/cursor.ts';
import { createTenantService } from './tenant-service.ts';

const context = (tenant: string) => ({
  caller: { id: 'key_1', kind: 'api-key', tenant: tenantId(tenant), scopes: ['tenants:read'] } as const,
});

function hourOf(tenant: TenantId, hour: string): UsageHourRow {
  const amounts = { uncachedInputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  const counts = { reasoningTokens: 0, durationMs: 0, calls: 1, costNanoUsd: 0, unpricedCalls: 0 };
  const dimensions = { kind: 'model', keyId: 'key_1', functionId: '', model: 'a/b', outcome: 'completed' } as const;
  return { id: `usage_hour_${tenant}_${hour}`, revision: 1, hour, ...dimensions, ...amounts, ...counts };
}

async function setUp(...used: readonly TenantId[]) {
  const storage = createMemoryStorage();
  for (const tenant of used) {
    for (const hour of ['2026-01-01T00:00:00.000Z', '2026-01-02T05:00:00.000Z']) {
      await storage.commit(tenant, [{ insert: 'usageHours', row: hourOf(tenant, hour) }]);
    }
  }
  return createTenantService({ storage, cursors: createCursorCodec(rootSecret) });
}

describe('the tenants of an installation', () => {
  it('are listed with what they have, without the installation itself', async () => {
    const tenants = await setUp(installationTenant, tenantId('a'));
    const row = { id: 'a', keys: 0, functions: 0, lastUsedAt: '2026-01-02T05:00:00.000Z' };
    expect(await tenants.list({ limit: 10 }, context('a'))).toEqual({ rows: [row] });
  });

  it('are listed once each, page by page', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `t${index}`);
    const tenants = await setUp(...names.map(tenantId), installationTenant);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await tenants.list({ limit: 3, cursor }, context('ops'));
      seen.push(...page.rows.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
  });

  it('refuse the cursor of another caller’s tenant', async () => {
    const tenants = await setUp(tenantId('a'), tenantId('b'));
    const { nextCursor } = await tenants.list({ limit: 1 }, context('a'));
    expect(nextCursor).toBeDefined();
    const asked = tenants.list({ limit: 1, cursor: nextCursor }, context('b'));
    await expect(asked).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
