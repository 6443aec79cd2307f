import type { Estimate } from './estimate.ts';
import type { Weights } from './weights.ts';

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
