import type { PolicyOf } from '../access/tenant-policies.ts';
import type { Limits } from '../contracts/limits-config.ts';
import { type Budgets, createBudgets } from '../usage/budgets.ts';
import { createUsageLedger, type UsageLedger } from '../usage/usage-ledger.ts';
import { createUsageMeter, type UsageMeter } from '../usage/usage-meter.ts';
import { createUsageService, type UsageService } from '../usage/usage-service.ts';
import type { ServiceParts } from './compose-services.ts';

export interface ComposedUsage {
  readonly meter: UsageMeter;
  readonly service: UsageService;
  readonly ledger: UsageLedger;
  readonly budgets: Budgets;
}

export interface UsageParts extends Pick<ServiceParts, 'storage' | 'clock' | 'logger'> {
  readonly limits: Limits;
  readonly policyOf: PolicyOf;
}

/** What counts, limits and reports what is used. */
export function composeUsage(parts: UsageParts): ComposedUsage {
  const { storage, clock, logger } = parts;
  const ledger = createUsageLedger({ storage, logger, onStored: (tenant, entry) => budgets.stored(tenant, entry) });
  const budgets: Budgets = createBudgets({ ...parts, ledger });
  const meter = createUsageMeter(ledger, clock, ({ caller }, entry) => budgets.recorded(caller.tenant, entry));
  return { meter, ledger, budgets, service: createUsageService(storage, ledger) };
}
