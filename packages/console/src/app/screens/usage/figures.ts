import type { UsageTotals } from '../../api/operations.generated.ts';
import type { Measure } from './usage-filters.tsx';

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumSignificantDigits: 4 });
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export function tokensOf(totals: UsageTotals): number {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = totals;
  return uncachedInputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
}

export function figureOf(totals: UsageTotals, measure: Measure): number {
  if (measure === 'cost') return Number(totals.cost?.amount ?? 0);
  return measure === 'tokens' ? tokensOf(totals) : totals[measure];
}

/** Dollars, with the digits that matter. */
export function usd(amount: number | string): string {
  return money.format(Number(amount));
}

export function figureText(measure: Measure): (value: number) => string {
  return measure === 'cost' ? usd : (value) => short.format(value);
}
