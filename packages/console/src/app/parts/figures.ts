/** A duration, as short as possible: `12 ms`, `1.8 s`, `3 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** An amount of money. Most calls cost a fraction of a cent. */
export function costText(cost: { readonly amount: string } | null | undefined): string {
  if (!cost) return '';
  const amount = Number(cost.amount);
  const digits =
    amount < 0.1 ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `$${amount.toLocaleString('en', digits)}`;
}
