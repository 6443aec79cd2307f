import type { UsageHourRow, UsageTotals } from '@patchbay/contracts/rows';
import { amountNames } from './usage-hours.ts';

/** Totals, while more is added. */
export type GrowingTotals = { -readonly [N in keyof UsageTotals]: UsageTotals[N] };

export function emptyTotals(): GrowingTotals {
  return {
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
}

const counts = ['executions', 'modelCalls', 'cachedCalls', 'feedback', 'failures', 'unpricedCalls'] as const;

export function addTotals(totals: GrowingTotals, added: UsageTotals): void {
  for (const name of amountNames) totals[name] += added[name];
  for (const name of counts) totals[name] += added[name];
  if (added.costNanoUsd !== null) totals.costNanoUsd = (totals.costNanoUsd ?? 0) + added.costNanoUsd;
}

/** The totals of one row. */
export function totalsOf(row: UsageHourRow): UsageTotals {
  const { kind, calls, costNanoUsd, unpricedCalls, outcome } = row;
  const isCached = outcome === 'cached';
  const isModel = kind === 'model' && !isCached;
  const totals = emptyTotals();
  for (const name of amountNames) totals[name] = row[name];
  totals.executions = kind === 'execution' ? calls : 0;
  totals.modelCalls = isModel ? calls : 0;
  totals.cachedCalls = isCached ? calls : 0;
  totals.feedback = kind === 'feedback' ? calls : 0;
  totals.failures = outcome === 'completed' || isCached ? 0 : calls;
  totals.costNanoUsd = isModel && calls > unpricedCalls ? costNanoUsd : null;
  totals.unpricedCalls = unpricedCalls;
  return totals;
}

/** Add totals to those of a group. */
export function addToGroup(groups: Map<string, GrowingTotals>, group: string, added: UsageTotals): void {
  const totals = groups.get(group) ?? emptyTotals();
  addTotals(totals, added);
  groups.set(group, totals);
}
