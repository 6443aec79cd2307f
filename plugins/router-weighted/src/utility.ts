import type { RouteRequest } from '@patchbay/core/plugin';
import type { Estimate } from './estimate.ts';

/** What one unit of cost and of latency is, within one ranking. */
export interface Reference {
  /** USD of the dearest candidate. */
  readonly cost: number;
  /** Milliseconds that the operator calls a good answer time. */
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

/** 0 to 1. An unknown price is taken for that of the dearest candidate: nobody is surprised by a bill for it. */
function costShare({ cost }: Estimate, reference: Reference): number {
  if (cost === undefined) return 1;
  return reference.cost === 0 ? 0 : cost / reference.cost;
}

/** What each part of the utility counts. Only the ratios between the four matter. */
export interface Weights {
  readonly quality: number;
  readonly cost: number;
  readonly latency: number;
  readonly failures: number;
}

type Optimize = RouteRequest['optimize'];

export const presets: Readonly<Record<Optimize, Weights>> = {
  quality: { quality: 1, cost: 0.02, latency: 0.02, failures: 0.2 },
  balanced: { quality: 1, cost: 0.1, latency: 0.05, failures: 0.2 },
  cost: { quality: 1, cost: 0.5, latency: 0.05, failures: 0.2 },
  performance: { quality: 1, cost: 0.1, latency: 0.4, failures: 0.2 },
};

/** Changes to presets, as an operator writes them: what is left out stays as it is. */
export type WeightChanges = {
  readonly [O in Optimize]?: { readonly [W in keyof Weights]?: number | undefined } | undefined;
};

export function withChanges(changes: WeightChanges): Readonly<Record<Optimize, Weights>> {
  const changed = (optimize: Optimize): Weights => {
    const preset = presets[optimize];
    const change = changes[optimize] ?? {};
    return {
      quality: change.quality ?? preset.quality,
      cost: change.cost ?? preset.cost,
      latency: change.latency ?? preset.latency,
      failures: change.failures ?? preset.failures,
    };
  };
  return {
    quality: changed('quality'),
    balanced: changed('balanced'),
    cost: changed('cost'),
    performance: changed('performance'),
  };
}
