import { decimalUsd } from '@patchbay/core';
import type { UsageGrouping, UsageReport, UsageTotals } from '../service-types.ts';

/** Sums as they are sent. The cost is a decimal, because sums of it have to stay exact. */
export function usageJson(
  { total, groups }: UsageReport,
  range: { readonly from: string; readonly to: string },
  groupBy: UsageGrouping | undefined,
) {
  return {
    data: groups.map(({ group, totals }) => ({ group, ...totalsJson(totals) })),
    total: totalsJson(total),
    meta: groupBy === undefined ? range : { ...range, groupBy },
  };
}

function totalsJson({ costNanoUsd, unpricedCalls, ...totals }: UsageTotals) {
  const cost = costNanoUsd === null ? null : { amount: decimalUsd(costNanoUsd), currency: 'USD' };
  return { ...totals, cost, unpricedCalls };
}
