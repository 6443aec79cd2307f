import type { RequestContext } from '@patchbay/contracts/context';
import type { UsageDayRow, UsageTotals } from '@patchbay/contracts/rows';
import { type BudgetReport, type BudgetReportDependencies, reportBudgets } from './budget-report.ts';
import { type Overview, type OverviewQuery, readOverview } from './overview.ts';
import { type UsageSum, usageBetween } from './usage-days.ts';
import type { UsageLedger } from './usage-ledger.ts';
import { addToGroup, addTotals, emptyTotals, type GrowingTotals } from './usage-totals.ts';

export const usageGroupings = ['key', 'function', 'model', 'provider', 'kind', 'outcome', 'hour', 'day'] as const;

export type UsageGrouping = (typeof usageGroupings)[number];

export interface UsageQuery {
  /** Start of the first hour, and of the first one that no longer counts. ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly groupBy?: UsageGrouping;
}

export interface UsageReport {
  readonly total: UsageTotals;
  /** By the requested grouping, ordered by group; empty if none was requested. */
  readonly groups: readonly { readonly group: string; readonly totals: UsageTotals }[];
}

/** Reads the usage of a tenant. */
export interface UsageService {
  /** The totals include everything that ended in this process before the call. */
  report(query: UsageQuery, context: RequestContext): Promise<UsageReport>;
  /** Calls over time: how many, how they ended, and how long they took. */
  overview(query: OverviewQuery, context: Pick<RequestContext, 'caller'>): Promise<Overview>;
  /** The budgets of the tenant and its keys, with their spending. @throws PatchbayError `insufficient_scope`. */
  budgets(context: Pick<RequestContext, 'caller'>): Promise<BudgetReport>;
}

const DAY = 'YYYY-MM-DD'.length;

const groupOf: Readonly<Record<UsageGrouping, (at: UsageSum['at']) => string>> = {
  key: ({ keyId }) => keyId,
  function: ({ functionId }) => functionId,
  model: ({ model }) => model,
  provider: ({ model }) => model.slice(0, Math.max(0, model.indexOf('/'))),
  kind: ({ kind }) => kind,
  outcome: ({ outcome }) => outcome,
  hour: ({ hour }) => hour,
  day: ({ hour }) => hour.slice(0, DAY),
};

/** The dimension whose daily totals contain the groups. None contains hourly groups. */
const dimensionOf: Readonly<Record<UsageGrouping, UsageDayRow['dimension'] | undefined>> = {
  key: 'keyId',
  function: 'functionId',
  model: 'model',
  provider: 'model',
  kind: 'kind',
  outcome: 'outcome',
  hour: undefined,
  // The one with the fewest values.
  day: 'kind',
};

interface UsageServiceDependencies extends BudgetReportDependencies {
  readonly ledger: Pick<UsageLedger, 'flush'>;
}

export function createUsageService(parts: UsageServiceDependencies): UsageService {
  const { storage, ledger } = parts;
  return {
    async overview(query, context) {
      await ledger.flush();
      return await readOverview(storage, query, context);
    },

    async budgets(context) {
      await ledger.flush();
      return await reportBudgets(parts, context);
    },

    async report({ from, to, groupBy }, { caller }) {
      await ledger.flush();
      const groups = new Map<string, GrowingTotals>();
      const total = emptyTotals();
      const dimension = groupBy === undefined ? 'kind' : dimensionOf[groupBy];
      for await (const { at, totals } of usageBetween(parts, caller.tenant, { from, to, dimension })) {
        addTotals(total, totals);
        if (groupBy !== undefined) addToGroup(groups, groupOf[groupBy](at), totals);
      }
      const sorted = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
      return { total, groups: sorted.map(([group, totals]) => ({ group, totals })) };
    },
  };
}
