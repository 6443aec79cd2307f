import type { PolicyOf } from '../access/tenant-policies.ts';
import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Budget } from '../contracts/limits.ts';
import type { Limits } from '../contracts/limits-config.ts';
import type { UsageEntryRow } from '../contracts/rows.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { Account, AccountParts } from './account.ts';
import { Accounts } from './accounts.ts';

export interface BudgetParts extends AccountParts {
  readonly limits: Limits;
  readonly policyOf: PolicyOf;
}

/** Keeps callers within what they may spend on models. */
export interface Budgets {
  /**
   * Set aside what a call may cost, in every budget that it counts in. Calls are let in while anything is left that is
   * not set aside: so all calls together overspend by no more than the last one.
   *
   * @returns gives back what was set aside. What was spent has to be recorded before.
   * @throws PatchbayError `quota_exceeded`.
   */
  reserve(caller: Principal, nanoUsd: number): Promise<() => void>;
  recorded(tenant: TenantId, entry: UsageEntryRow): void;
  stored(tenant: TenantId, entry: UsageEntryRow): void;
}

interface Charged {
  readonly account: Account;
  readonly limit: number;
  readonly scope: 'key' | 'tenant';
}

const NANO = 1_000_000_000;

export function createBudgets(parts: BudgetParts): Budgets {
  const { limits, policyOf, clock } = parts;
  const accounts = new Accounts(parts);

  const chargedBy = ({ tenant, id, limits: own }: Principal): readonly Charged[] => {
    const charged: Charged[] = [];
    const add = (scope: Charged['scope'], keyId: string | undefined, budget: Budget | undefined): void => {
      if (budget)
        charged.push({ scope, account: accounts.of({ tenant, keyId }, budget.period), limit: budget.usd * NANO });
    };
    add('key', id, own?.budget ?? limits.key.budget);
    add('tenant', undefined, policyOf(tenant).limits?.budget ?? limits.tenant.budget);
    return charged;
  };

  const each = (tenant: TenantId, { keyId, createdAt }: UsageEntryRow, tell: (account: Account) => void): void => {
    for (const owner of [keyId, undefined]) {
      const account = accounts.find({ tenant, keyId: owner });
      if (account && Date.parse(createdAt) >= account.period.start) tell(account);
    }
  };

  return {
    async reserve(caller, nanoUsd) {
      if (limits.off) return () => {};
      const charged = chargedBy(caller);
      if (charged.length === 0) return () => {};
      for (const { account } of charged) await account.ready();
      // From here on nothing else runs until all is set aside.
      for (const { account, limit, scope } of charged) {
        if (account.spent >= limit) throw exceeded(scope, (account.period.end - clock.now()) / 1_000);
        if (account.spent + account.reserved >= limit) throw allSetAside(scope);
      }
      for (const { account } of charged) account.reserved += nanoUsd;
      return () => {
        for (const { account } of charged) account.reserved -= nanoUsd;
      };
    },
    recorded(tenant, entry) {
      const { id, costNanoUsd } = entry;
      if (costNanoUsd !== null && costNanoUsd > 0) each(tenant, entry, (account) => account.recorded(id, costNanoUsd));
    },
    stored(tenant, entry) {
      each(tenant, entry, (account) => account.stored(entry.id));
    },
  };
}

function exceeded(scope: string, retryAfter: number): PatchbayError {
  return new PatchbayError('quota_exceeded', `the budget of this ${scope} is used up`, { retryAfter });
}

function allSetAside(scope: string): PatchbayError {
  const detail = `what is left of the budget of this ${scope} is set aside for calls that are under way`;
  return new PatchbayError('quota_exceeded', detail, { retryAfter: 1 });
}
