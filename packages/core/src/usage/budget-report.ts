import { requireAllFunctions } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import type { Budget, Limits } from '@patchbay/contracts/limits';
import type { ApiKeyRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { PolicyOf } from '../access/callers.ts';
import { periodOf } from './accounts.ts';
import { hourPages } from './hour-pages.ts';

/** A budget in force, and its spending. Amounts are in billionths of a US dollar. */
export interface BudgetState {
  readonly scope: 'key' | 'tenant';
  /** Of the key, or of the tenant. */
  readonly id: string;
  /** Name of the key. Null for a tenant. */
  readonly name: string | null;
  readonly period: Budget['period'];
  readonly limitNanoUsd: number;
  readonly spentNanoUsd: number;
  /** When the next period begins. */
  readonly resetsAt: string;
}

export interface BudgetReport {
  /** Those with the highest spending first. */
  readonly budgets: readonly BudgetState[];
  /** False: the limits of the server are off. */
  readonly enforced: boolean;
}

export interface BudgetReportDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Those in force. */
  readonly limits: () => Limits;
  readonly policyOf: PolicyOf;
}

type NamedKey = Pick<ApiKeyRow, 'id' | 'name' | 'budget' | 'createdAt' | 'expiresAt' | 'revokedAt'>;

type Spending = Record<Budget['period'], number>;

const NANO = 1_000_000_000;

const PAGE = 100;

/** The budgets of a tenant, and of its keys that can still be used. */
export async function reportBudgets(
  parts: BudgetReportDependencies,
  { caller }: Pick<RequestContext, 'caller'>,
): Promise<BudgetReport> {
  requireAllFunctions(caller);
  const { storage, clock, policyOf } = parts;
  const { tenant } = caller;
  const limits = parts.limits();
  const now = clock.now();
  const budgets: Omit<BudgetState, 'spentNanoUsd'>[] = [];
  const add = (scope: BudgetState['scope'], id: string, name: string | null, budget: Budget | undefined): void => {
    if (!budget) return;
    const { usd, period } = budget;
    const resetsAt = new Date(periodOf(period, now).end).toISOString();
    budgets.push({ scope, id, name, period, limitNanoUsd: usd * NANO, resetsAt });
  };
  add('tenant', tenant, null, policyOf(tenant).limits?.budget ?? limits.tenant.budget);
  for await (const key of keysOf(storage, tenant)) {
    const isUsable = key.revokedAt === null && (key.expiresAt === null || Date.parse(key.expiresAt) > now);
    if (isUsable) add('key', key.id, key.name, key.budget ?? limits.key.budget);
  }
  const enforced = !limits.off;
  if (budgets.length === 0) return { budgets: [], enforced };
  const { all, byKey } = await readSpending(storage, tenant, now);
  const states = budgets.map((budget) => {
    const spending = budget.scope === 'tenant' ? all : byKey.get(budget.id);
    return { ...budget, spentNanoUsd: spending?.[budget.period] ?? 0 };
  });
  return { budgets: states.sort((one, other) => shareOf(other) - shareOf(one)), enforced };
}

const shareOf = ({ limitNanoUsd, spentNanoUsd }: BudgetState): number => spentNanoUsd / limitNanoUsd;

async function* keysOf(storage: Storage, tenant: TenantId): AsyncGenerator<NamedKey> {
  let after: { readonly value: string; readonly id: string } | undefined;
  for (;;) {
    const query = { sort: 'createdAt', order: 'asc', limit: PAGE, ...(after && { after }) } as const;
    const select = ['id', 'name', 'budget', 'createdAt', 'expiresAt', 'revokedAt'] as const;
    const { rows } = await storage.list(tenant, 'apiKeys', { ...query, select });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = { value: last.createdAt, id: last.id };
  }
}

/** The spending of this day and month. */
async function readSpending(storage: Storage, tenant: TenantId, now: number) {
  const today = new Date(periodOf('day', now).start).toISOString();
  const all: Spending = { day: 0, month: 0 };
  const byKey = new Map<string, Spending>();
  const month = new Date(periodOf('month', now).start).toISOString();
  for await (const { keyId, hour, costNanoUsd } of hourPages(storage, 'usageHours', tenant, {}, month)) {
    const own = byKey.get(keyId) ?? { day: 0, month: 0 };
    byKey.set(keyId, own);
    for (const spending of [all, own]) {
      spending.month += costNanoUsd;
      if (hour >= today) spending.day += costNanoUsd;
    }
  }
  return { all, byKey };
}
