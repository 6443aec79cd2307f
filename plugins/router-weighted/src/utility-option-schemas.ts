const weight = (description: string) => ({ type: 'number', minimum: 0, description }) as const;

const weights = {
  type: 'object',
  properties: {
    quality: weight('Weight of quality, before the deduction for failures.'),
    cost: weight('Weight of the price, relative to the most expensive candidate.'),
    latency: weight('Weight of one `targetMs` of latency.'),
    failures: weight('Weight of a failure rate of 100 %.'),
  },
} as const;

/** Options of routers that rank by utility. */
export const utilityOptionSchemas = {
  weights: {
    type: 'object',
    default: {},
    description: 'Overrides of the preset weights.',
    properties: { quality: weights, cost: weights, performance: weights, balanced: weights },
  },
  targetMs: {
    type: 'integer',
    minimum: 1,
    default: 4_000,
    description: 'Milliseconds until the last token that count as one unit of latency.',
  },
} as const;
