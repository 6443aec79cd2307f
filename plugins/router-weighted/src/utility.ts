import type { RouteRequest } from '@patchbay/core/plugin';
import type { Estimate } from './estimate.ts';

/** One unit of cost and of latency, within one ranking. */
export interface Reference {
  /** USD of the most expensive candidate. */
  readonly cost: number;
  /** Milliseconds that the operator considers a good response time. */
  readonly latencyMs: number;
}

export function referenceOf(estimates: readonly Estimate[], targetMs: number): Reference {
  let cost = 0;
  for (const estimate of estimates) cost = Math.max(cost, estimate.cost ?? 0);
  return { cost, latencyMs: targetMs };
}

/** Higher is better. */
export function utility(estimate: Estimate, weights: Weights, reference: Reference): number {
  const { quality, latencyMs, failureRate } = estimate;
  return (
    (1 - failureRate) * weights.quality * quality -
    weights.cost * costShare(estimate, reference) -
    weights.latency * (latencyMs / reference.latencyMs) -
    weights.failures * failureRate
  );
}

/** 0 to 1. An unknown price counts as that of the most expensive candidate, to avoid surprising bills. */
function costShare({ cost }: Estimate, reference: Reference): number {
  if (cost === undefined) return 1;
  return reference.cost === 0 ? 0 : cost / reference.cost;
}

/** The weights of the parts of the utility. Only the ratios between the four matter. */
export interface Weights {
  readonly quality: number;
  readonly cost: number;
  readonly latency: number;
  readonly failures: number;
}

type Optimize = RouteRequest['optimize'];

export type Presets = Readonly<Record<Optimize, Weights>>;

export const presets: Presets = {
  quality: { quality: 1, cost: 0.02, latency: 0.02, failures: 0.2 },
  balanced: { quality: 1, cost: 0.1, latency: 0.05, failures: 0.2 },
  cost: { quality: 1, cost: 0.5, latency: 0.05, failures: 0.2 },
  performance: { quality: 1, cost: 0.1, latency: 0.4, failures: 0.2 },
};

/** Changes to presets, as an operator writes them: a weight that is left out keeps its value. */
export type WeightChanges = {
  readonly [O in Optimize]?: { readonly [W in keyof Weights]?: number | undefined } | undefined;
};

export function withChanges(changes: WeightChanges): Presets {
  const changed = ([name, preset]: [string, Weights]) => {
    const stated = Object.entries(changes[name as Optimize] ?? {}).filter(([, weight]) => weight !== undefined);
    return [name, { ...preset, ...Object.fromEntries(stated) }];
  };
  return Object.fromEntries(Object.entries(presets).map(changed)) as Presets;
}
