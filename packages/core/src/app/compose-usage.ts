import type { PolicyOf } from '../access/tenant-policies.ts';
import type { ModelInfo, Provider } from '../contracts/provider.ts';
import type { RateLimiter } from '../contracts/rate-limiter.ts';
import { type Budgets, createBudgets } from '../usage/budgets.ts';
import { meterProvider } from '../usage/metered-provider.ts';
import { createReservations } from '../usage/reservations.ts';
import { createUsageLedger, type UsageLedger } from '../usage/usage-ledger.ts';
import { createUsageMeter, type UsageMeter } from '../usage/usage-meter.ts';
import { createUsageService, type UsageService } from '../usage/usage-service.ts';
import type { ServiceParts } from './compose-services.ts';

export interface ComposedUsage {
  readonly meter: UsageMeter;
  readonly service: UsageService;
  readonly ledger: UsageLedger;
  /** The providers, each call of which is reserved and written down. */
  meterAll(
    providers: ReadonlyMap<string, Provider>,
    infoOf: (id: string) => ModelInfo | undefined,
  ): ReadonlyMap<string, Provider>;
}

/** What counts, limits and reports what is used. */
export function composeUsage(parts: ServiceParts, limiter: RateLimiter, policyOf: PolicyOf): ComposedUsage {
  const { storage, clock, logger, limits } = parts;
  const ledger = createUsageLedger({ storage, logger, onStored: (tenant, entry) => budgets.stored(tenant, entry) });
  const budgets: Budgets = createBudgets({ storage, ledger, clock, limits, policyOf });
  const meter = createUsageMeter(ledger, clock, ({ caller }, entry) => budgets.recorded(caller.tenant, entry));
  const reserve = createReservations({ limiter, limits, budgets });
  return {
    meter,
    ledger,
    service: createUsageService(storage, ledger),
    meterAll: (providers, infoOf) =>
      new Map(
        [...providers].map(([name, provider]) => {
          const metering = { meter, clock, reserve, infoOf: (model: string) => infoOf(`${name}/${model}`) };
          return [name, meterProvider(name, provider, metering)];
        }),
      ),
  };
}
