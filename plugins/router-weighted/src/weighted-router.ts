import type { RankedModel, RouteRequest, Router, TaskFit } from '@patchbay/core/plugin';
import { drawAmongEqual, equalDeployments, likeTheirEquals, load, type Scored } from './equal-deployments.ts';
import { type Estimate, estimate, taskFactor } from './estimate.ts';

export interface WeightedRouterOptions {
  readonly weights: WeightChanges;
  /** Milliseconds until the last token that count as one unit of latency. */
  readonly targetMs: number;
}

/** Ranks models by expected utility: quality minus cost, latency and failures. */
export function createWeightedRouter({ weights, targetMs }: WeightedRouterOptions): Router {
  return {
    async route(request, candidates, random) {
      const single = candidates.map((candidate) => estimate(request, candidate));
      const groups = equalDeployments(single);
      const estimates = likeTheirEquals(single, groups);
      const reference = referenceOf(estimates, targetMs);
      const preset = withChanges(request.optimize, weights);
      const scored = estimates.map((each): Scored => ({ estimate: each, score: utility(each, preset, reference) }));
      return [...drawAmongEqual(scored, groups, random)].sort(byRank).map(
        (each): RankedModel => ({
          id: each.estimate.candidate.id,
          score: each.score,
          // Written only when it is read: for all candidates, that would take longer than everything else.
          get reason() {
            return reasonOf(request, each);
          },
        }),
      );
    },
  };
}

/** By score; ties by who holds the prompt, by who won the draw, then by load, then by id, so that the order of the candidates plays no part. */
function byRank(one: Scored, other: Scored): number {
  if (one.score !== other.score) return other.score - one.score;
  const [warm, otherWarm] = [one, other].map(({ estimate }) => estimate.candidate.holdsPrompt ?? false);
  if (warm !== otherWarm) return warm ? -1 : 1;
  if (one.drawnFrom !== other.drawnFrom) return one.drawnFrom === undefined ? 1 : -1;
  const difference = load(one) - load(other);
  if (difference !== 0) return difference;
  return one.estimate.candidate.id < other.estimate.candidate.id ? -1 : 1;
}

// Never `0.0` or `1.2e-7`.
const dollars = new Intl.NumberFormat('en', { maximumSignificantDigits: 2, useGrouping: false });

/** One sentence with the figures that decided. */
export function reasonOf({ optimize }: RouteRequest, { estimate, drawnFrom }: Scored): string {
  const { cost, outputTokens, candidate } = estimate;
  const { info, observed } = candidate;
  const quality = `quality ${estimate.quality.toFixed(2)}${info.quality === undefined ? ' (assumed)' : ''}`;
  const task = taskOf(candidate.fit);
  const warm = candidate.holdsPrompt ? ' with the prompt in its cache' : '';
  const price =
    cost === undefined ? 'price unknown and taken for the highest' : `about $${dollars.format(cost)}${warm}`;
  const assumed = observed.firstTokenMs === undefined ? ' (assumed)' : '';
  const tokens = outputTokens > 0 ? ` for ${Math.round(outputTokens)} tokens of answer` : '';
  const latency = `about ${Math.round(estimate.latencyMs)} ms${assumed}${tokens}${fading(estimate)}`;
  const failures = `${Math.round(estimate.failureRate * 100)} % failures`;
  const drawn =
    drawnFrom === undefined ? '' : `; drawn among ${drawnFrom} equal deployments, with ${observed.inFlight} under way`;
  return `For ${optimize}: ${quality}${task}, ${price}, ${latency}, ${failures}${drawn}.`;
}

/** Said where it makes a difference. Counts fade, and are no whole numbers for long. */
function taskOf(fit: TaskFit | undefined): string {
  if (!fit || taskFactor(fit) === 1) return '';
  const { asked, askedAgain, failed } = fit;
  const share = (count: number) => `${Math.round((count / asked) * 100)} %`;
  return ` (${share(failed)} of its answers to this task did not fit, ${share(askedAgain)} at first)`;
}

/** Said where it makes a difference of more than a tenth. */
function fading({ latencyMs, fadedFromMs = 0, candidate }: Scored['estimate']): string {
  if (fadedFromMs <= latencyMs * 1.1) return '';
  const seconds = Math.round((candidate.observed.latencyAgeMs ?? 0) / 1_000);
  return `, down from ${Math.round(fadedFromMs)} ms that were seen ${seconds} s ago`;
}

/** One unit of cost and of latency, within one ranking. */
export interface Reference {
  /** USD of the most expensive candidate. */
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

export const presets: Readonly<Record<Optimize, Weights>> = {
  quality: { quality: 1, cost: 0.02, latency: 0.02, failures: 0.2 },
  balanced: { quality: 1, cost: 0.1, latency: 0.05, failures: 0.2 },
  cost: { quality: 1, cost: 0.5, latency: 0.05, failures: 0.2 },
  performance: { quality: 1, cost: 0.1, latency: 0.4, failures: 0.2 },
};

/** Changes to presets, as an operator writes them: a weight that is left out keeps its value. */
export type WeightChanges = {
  readonly [O in Optimize]?: { readonly [W in keyof Weights]?: number | undefined } | undefined;
};

export function withChanges(optimize: Optimize, { [optimize]: change = {} }: WeightChanges): Weights {
  const stated = Object.entries(change).filter(([, weight]) => weight !== undefined);
  return { ...presets[optimize], ...Object.fromEntries(stated) };
}
