import type { PolicyOf } from '../access/tenant-policies.ts';
import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Budget, Limits } from '../contracts/limits.ts';
import type { UsageEntryRow } from '../contracts/rows.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { type Account, type AccountDependencies, Accounts } from './accounts.ts';
import { decimalUsd } from './call-cost.ts';

interface BudgetDependencies extends AccountDependencies {
  /** Those in force. */
  readonly limits: () => Limits;
  readonly policyOf: PolicyOf;
}

/** Keeps callers within what they may spend on models. */
export interface Budgets {
  /**
   * Set aside what a call may cost, in every budget that it counts in. Calls are let in while anything is left that is
   * not set aside: so all calls together overspend by no more than the last one.
   *
   * @param nanoUsd Null where the price is not known.
   * @returns releases the reservation. Record the spending before.
   * @throws PatchbayError `quota_exceeded`; `model_unpriced` where no price is known and a budget would have to count it.
   */
  reserve(caller: Principal, nanoUsd: number | null): Promise<() => void>;
  recorded(tenant: TenantId, entry: UsageEntryRow): void;
  stored(tenant: TenantId, entry: UsageEntryRow): void;
}

interface Charged {
  readonly account: Account;
  /** In billionths of a dollar. */
  readonly limit: number;
  readonly period: Budget['period'];
  readonly scope: 'key' | 'tenant';
}

const NANO = 1_000_000_000;

export function createBudgets(dependencies: BudgetDependencies): Budgets {
  const { limits, policyOf, clock } = dependencies;
  const accounts = new Accounts(dependencies);

  const chargedBy = ({ tenant, id, limits: own }: Principal): readonly Charged[] => {
    const charged: Charged[] = [];
    const add = (scope: Charged['scope'], keyId: string | undefined, budget: Budget | undefined): void => {
      if (!budget) return;
      const { period, usd } = budget;
      charged.push({ scope, account: accounts.of({ tenant, keyId }, period), period, limit: usd * NANO });
    };
    const { key, tenant: all } = limits();
    add('key', id, own?.budget ?? key.budget);
    add('tenant', undefined, policyOf(tenant).limits?.budget ?? all.budget);
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
      if (limits().off) return () => {};
      const charged = chargedBy(caller);
      if (charged.length === 0) return () => {};
      if (nanoUsd === null && limits().unpriced === 'refuse') throw unpriced(charged);
      const reserved = nanoUsd ?? 0;
      for (const { account } of charged) await account.ready();
      // From here on nothing else runs until all is set aside.
      for (const each of charged) {
        const { account, limit } = each;
        if (account.spent >= limit) throw refusal(each, (account.period.end - clock.now()) / 1_000, isUsedUp);
        if (account.spent + account.reserved >= limit) throw refusal(each, 1, isReserved);
      }
      for (const { account } of charged) account.reserved += reserved;
      return () => {
        for (const { account } of charged) account.reserved -= reserved;
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

function unpriced([first]: readonly Charged[]): PatchbayError {
  const detail = `the price of the model is not known, so the budget of this ${first?.scope ?? 'key'} cannot count it`;
  return new PatchbayError('model_unpriced', detail);
}

/** The refusal of a call, with the figures of the budget in words and as a member of the problem document. */
function refusal(charged: Charged, retryAfter: number, reasonOf: (spent: string, reserved: string) => string) {
  const { account, period, scope } = charged;
  const [limit = '', spent = '', reserved = ''] = [charged.limit, account.spent, account.reserved].map((nanoUsd) =>
    decimalUsd(Math.round(nanoUsd)),
  );
  const resetsAt = new Date(account.period.end).toISOString();
  const reason = reasonOf(inWords(spent), inWords(reserved));
  const detail = `the budget of this ${scope}, ${inWords(limit)} USD per ${period}, ${reason}; it resets at ${resetsAt}`;
  const budget = { scope, period, currency: 'USD', limit, spent, reserved, resetsAt };
  return new PatchbayError('quota_exceeded', detail, { retryAfter, extensions: { budget } });
}

const inWords = (decimal: string): string => decimal.replace(/\.?0+$/, '');

const isUsedUp = (spent: string): string => `is used up: ${spent} USD were spent`;

const isReserved = (spent: string, reserved: string): string =>
  `has nothing left: ${spent} USD were spent, and calls in progress reserve ${reserved} USD`;
