/** The part of a finding about budgets: other gateways count a model without a price as free. */
export const pricesNeeded = 'models without a known price are refused, unless limits.unpriced is allow';
