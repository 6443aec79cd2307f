import type { RequestContext } from '../contracts/context.ts';

/** The cost so far of all models that were asked for one answer. Null if the price of one is not known. */
export interface Spending {
  costNanoUsd: number | null;
}

/** A context that sums up the cost of its model calls. */
export interface SpendingContext extends RequestContext {
  readonly spending?: Spending;
}

export function spend({ spending }: SpendingContext, costNanoUsd: number | null): void {
  if (!spending) return;
  const { costNanoUsd: before } = spending;
  spending.costNanoUsd = before === null || costNanoUsd === null ? null : before + costNanoUsd;
}
