import type { Candidate } from '@patchbay/core/plugin';
import type { ModelInfo } from '@patchbay/core/provider';
import { type Estimate, faded, type OwnEstimate } from './estimate.ts';

export interface Scored {
  readonly estimate: Estimate;
  /** Index of its candidate among those of the request. */
  readonly place: number;
  readonly score: number;
  /** The number of equal deployments that this one was drawn from; absent if there was no draw or another one won. */
  readonly drawnFrom?: number;
}

/**
 * A deployment whose utility is further below that of the best equal one is unhealthy, and takes no part in the draw.
 */
const DRAW_MARGIN = 0.05;

/** Much shorter than without equals: another try costs little when the others respond as well. */
const FADES_MS = 5_000;

/** Places of candidates that are equal deployments: one model of one vendor, at one price, at several providers. */
export type EqualPlaces = readonly number[];

/**
 * Assume for a deployment without observations those of its fastest equal, and for one with old observations nearly
 * that. With the general prior they would never be called next to equals that turned out to be better than that.
 */
export function likeTheirEquals(
  estimates: readonly OwnEstimate[],
  groups: readonly EqualPlaces[],
): readonly OwnEstimate[] {
  if (groups.length === 0) return estimates;
  const result = [...estimates];
  for (const places of groups) {
    const members = places.map((place) => ({ place, estimate: estimates[place] as OwnEstimate }));
    const seen = members.filter(({ estimate }) => hasAnswered(estimate)).map(({ estimate }) => estimate);
    const [quickest] = seen.toSorted((one, other) => one.latencyMs - other.latencyMs);
    if (!quickest) continue;
    const { cost, latencyMs, outputTokens } = quickest;
    for (const { place, estimate } of members) {
      if (!hasAnswered(estimate)) {
        result[place] = { ...estimate, cost, latencyMs, outputTokens };
        continue;
      }
      const latency = faded(estimate, latencyMs, estimate.candidate.observed.latencyAgeMs, FADES_MS);
      if (latency !== estimate) result[place] = { ...estimate, ...latency };
    }
  }
  return result;
}

const hasAnswered = ({ candidate }: Estimate): boolean => candidate.observed.firstTokenMs !== undefined;

/**
 * Balance requests over equal deployments.
 *
 * The less loaded of two random equals replaces the best. Two are enough to keep the load
 * even, and unlike choosing the least loaded of all it does not send every request to the same one at once when many
 * requests are decided on the same observations. Where one holds the prompt of the request, the others are its fallbacks.
 */
export function drawAmongEqual(
  scored: readonly Scored[],
  groups: readonly EqualPlaces[],
  random: () => number,
): Scored[] {
  const result = [...scored];
  for (const places of groups) {
    const cold = places.filter((place) => !scored[place]?.estimate.candidate.holdsPrompt);
    const best = Math.max(...cold.map((place) => (scored[place] as Scored).score));
    const healthy = cold.filter((place) => (scored[place] as Scored).score >= best - DRAW_MARGIN);
    if (healthy.length < 2) continue;
    const winner = lessLoaded(healthy, scored, random, cold.length < places.length);
    result[winner] = { ...(scored[winner] as Scored), score: best, drawnFrom: healthy.length };
  }
  return result;
}

/** The places of equal deployments, where there are at least two. */
export function equalDeployments(candidates: readonly Pick<Candidate, 'info'>[]): readonly EqualPlaces[] {
  // Models rarely share a name.
  if (haveOwnNames(candidates)) return [];
  const groups: number[][] = [];
  const byName = new Map<string, number[][]>();
  for (const [place, { info }] of candidates.entries()) {
    const namesakes = byName.get(info.name);
    const group = namesakes?.find(([first]) => isEqual(info, candidates[first as number]?.info));
    if (group?.push(place) === 2) groups.push(group);
    if (group) continue;
    if (namesakes) namesakes.push([place]);
    else byName.set(info.name, [[place]]);
  }
  return groups;
}

function haveOwnNames(candidates: readonly Pick<Candidate, 'info'>[]): boolean {
  const names = new Set<string>();
  for (const { info } of candidates) names.add(info.name);
  return names.size === candidates.length;
}

function isEqual(one: ModelInfo, other: ModelInfo | undefined): boolean {
  return (
    one.vendor === other?.vendor &&
    one.quality === other?.quality &&
    one.pricing?.input === other?.pricing?.input &&
    one.pricing?.output === other?.pricing?.output &&
    one.pricing?.cacheRead === other?.pricing?.cacheRead
  );
}

/** Latencies below this one, and loads within this factor, differ by chance. */
const QUICK_MS = 250;
const ALIKE = 2;

/**
 * The one of two random deployments with the lower load. Where both are alike, the one that began fewer requests
 * recently: otherwise, by chance, one would get nearly all of them, and keep the conversations that they begin.
 *
 * @param isFallback Many requests may fall back at once, before any of them is counted.
 */
function lessLoaded(
  places: readonly number[],
  scored: readonly Scored[],
  random: () => number,
  isFallback: boolean,
): number {
  const first = Math.floor(random() * places.length);
  // Over the others, so that the two differ.
  const step = 1 + Math.floor(random() * (places.length - 1));
  const one = places[first] as number;
  const other = places[(first + step) % places.length] as number;
  const [its, others] = [scored[one] as Scored, scored[other] as Scored];
  if (areAlike(load(its, QUICK_MS), load(others, QUICK_MS))) {
    if (isFallback) return one;
    if (recentOf(its) !== recentOf(others)) return recentOf(others) < recentOf(its) ? other : one;
  }
  return load(others) < load(its) ? other : one;
}

const areAlike = (one: number, other: number): boolean => Math.max(one, other) < ALIKE * Math.min(one, other);

const recentOf = ({ estimate }: Scored): number => estimate.candidate.observed.recent ?? 0;

/** @param leastMs Latency of the quickest. */
export function load({ estimate }: Scored, leastMs = 0): number {
  const { latencyMs, failureRate, candidate } = estimate;
  return Math.max(latencyMs, leastMs) * (candidate.observed.inFlight + 1) * (1 + 8 * failureRate);
}
