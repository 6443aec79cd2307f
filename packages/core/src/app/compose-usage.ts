import type { PolicyOf } from '../access/tenant-policies.ts';
import type { Limits } from '../contracts/limits.ts';
import { type Budgets, createBudgets } from '../usage/budgets.ts';
import { createUsageLedger, createUsageMeter, type UsageLedger, type UsageMeter } from '../usage/usage-ledger.ts';
import { createUsageService, type UsageService } from '../usage/usage-service.ts';
import type { Platform } from './platform.ts';

export interface ComposedUsage {
  readonly meter: UsageMeter;
  readonly service: UsageService;
  readonly ledger: UsageLedger;
  readonly budgets: Budgets;
}

/** Counts, limits and reports usage. */
export function composeUsage(
  { storage, clock, logger, measuring }: Pick<Platform, 'storage' | 'clock' | 'logger' | 'measuring'>,
  limits: () => Limits,
  policyOf: PolicyOf,
): ComposedUsage {
  // From the start, so that the first one shows as an increase.
  measuring.count('patchbay.storage.rejected', 0, { collection: 'usageEntries' });
  const ledger = createUsageLedger({
    storage,
    logger,
    onStored: (tenant, entry) => budgets.stored(tenant, entry),
    onRejected: () => measuring.count('patchbay.storage.rejected', 1, { collection: 'usageEntries' }),
  });
  const budgets: Budgets = createBudgets({ storage, clock, ledger, limits, policyOf });
  const meter = createUsageMeter(ledger, clock, ({ caller }, entry) => budgets.recorded(caller.tenant, entry));
  return { meter, ledger, budgets, service: createUsageService(storage, ledger) };
}
