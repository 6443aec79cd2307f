import type { RequestContext } from '../contracts/context.ts';
import type { UsageHourRow } from '../contracts/rows.ts';
import { type BudgetReport, type BudgetReportDependencies, reportBudgets } from './budget-report.ts';
import { hourPages } from './hours.ts';
import { type Overview, type OverviewQuery, readOverview } from './overview.ts';
import { amountNames } from './usage-hours.ts';
import type { UsageLedger } from './usage-ledger.ts';

export const usageGroupings = ['key', 'function', 'model', 'provider', 'kind', 'outcome', 'hour', 'day'] as const;

export type UsageGrouping = (typeof usageGroupings)[number];

/** Sums over calls. */
export interface UsageTotals {
  readonly executions: number;
  readonly modelCalls: number;
  /** Calls that were served from the cache. */
  readonly cachedCalls: number;
  /** Feedback about answers, by their function and model. */
  readonly feedback: number;
  /** Calls that did not complete. */
  readonly failures: number;
  readonly uncachedInputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Milliseconds. */
  readonly durationMs: number;
  /** Billionths of a US dollar, of the calls whose price is known; null where it is known of none. */
  readonly costNanoUsd: number | null;
  /** Model calls whose price is not known. */
  readonly unpricedCalls: number;
}

export interface UsageQuery {
  /** The beginning of the first hour, and of the first that does not count. ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly groupBy?: UsageGrouping;
}

export interface UsageReport {
  readonly total: UsageTotals;
  /** By what was asked for, ordered by group; empty where nothing was. */
  readonly groups: readonly { readonly group: string; readonly totals: UsageTotals }[];
}

/** Reads the usage of a tenant. */
export interface UsageService {
  /** Everything that ended in this process before the call is in the sums. */
  report(query: UsageQuery, context: RequestContext): Promise<UsageReport>;
  /** Calls over time: how many, how they ended, and how long they took. */
  overview(query: OverviewQuery, context: Pick<RequestContext, 'caller'>): Promise<Overview>;
  /** The budgets of the tenant and its keys, with their spending. @throws PatchbayError `insufficient_scope`. */
  budgets(context: Pick<RequestContext, 'caller'>): Promise<BudgetReport>;
}

const none: UsageTotals = {
  executions: 0,
  modelCalls: 0,
  cachedCalls: 0,
  feedback: 0,
  failures: 0,
  uncachedInputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  durationMs: 0,
  costNanoUsd: null,
  unpricedCalls: 0,
};

const DAY = 'YYYY-MM-DD'.length;

const groupOf: Readonly<Record<UsageGrouping, (row: UsageHourRow) => string>> = {
  key: ({ keyId }) => keyId,
  function: ({ functionId }) => functionId,
  model: ({ model }) => model,
  provider: ({ model }) => model.slice(0, Math.max(0, model.indexOf('/'))),
  kind: ({ kind }) => kind,
  outcome: ({ outcome }) => outcome,
  hour: ({ hour }) => hour,
  day: ({ hour }) => hour.slice(0, DAY),
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
      const groups = new Map<string, UsageTotals>();
      let total = none;
      for await (const row of hourPages(storage, 'usageHours', caller.tenant, {}, from)) {
        if (row.hour >= to) break;
        total = add(total, row);
        if (groupBy === undefined) continue;
        const group = groupOf[groupBy](row);
        groups.set(group, add(groups.get(group) ?? none, row));
      }
      const sorted = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
      return { total, groups: sorted.map(([group, totals]) => ({ group, totals })) };
    },
  };
}

function add(totals: UsageTotals, row: UsageHourRow): UsageTotals {
  const { kind, calls, costNanoUsd, unpricedCalls, outcome } = row;
  const amounts = Object.fromEntries(amountNames.map((name) => [name, totals[name] + row[name]]));
  const isCached = outcome === 'cached';
  const isPriced = kind === 'model' && !isCached && calls > unpricedCalls;
  return {
    ...totals,
    ...amounts,
    executions: totals.executions + (kind === 'execution' ? calls : 0),
    modelCalls: totals.modelCalls + (kind === 'model' && !isCached ? calls : 0),
    cachedCalls: totals.cachedCalls + (isCached ? calls : 0),
    feedback: totals.feedback + (kind === 'feedback' ? calls : 0),
    failures: totals.failures + (outcome === 'completed' || isCached ? 0 : calls),
    costNanoUsd: isPriced ? (totals.costNanoUsd ?? 0) + costNanoUsd : totals.costNanoUsd,
    unpricedCalls: totals.unpricedCalls + unpricedCalls,
  };
}
