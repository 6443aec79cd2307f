import type { Candidate, RouteRequest, TaskFit } from '@patchbay/core/plugin';
import type { ModelInfo } from '@patchbay/core/provider';

/** The expectation of one candidate for one request. */
export interface Estimate {
  readonly candidate: Candidate;
  /** 0 to 1. */
  readonly quality: number;
  /** USD; absent where the price is unknown. */
  readonly cost: number | undefined;
  readonly latencyMs: number;
  /** The observed latency, where it is so old that less is expected now. */
  readonly fadedFromMs?: number | undefined;
  /** 0 to 1. */
  readonly failureRate: number;
  readonly outputTokens: number;
}

const UNKNOWN_QUALITY = 0.5;
const UNKNOWN_OUTPUT_TOKENS = 256;
const TOKENS_PER_PRICE = 1_000_000;
/** Time constant of the decay to the prior, for models without an equal. */
const FADES_MS = 300_000;

/** An estimate that its owner may correct in place: there is one for every candidate of every request. */
export type OwnEstimate = { -readonly [F in keyof Estimate]: Estimate[F] };

/** @param usualTokens Of a completion of a model that was not called yet. */
export function estimate(
  request: RouteRequest,
  candidate: Candidate,
  usualTokens: number = UNKNOWN_OUTPUT_TOKENS,
  quality: number = expectedQuality(candidate),
): OwnEstimate {
  const { info, observed } = candidate;
  const outputTokens = expectedOutput(request, candidate, usualTokens);
  const prior = latencyPrior(info);
  const priorMs = prior.firstTokenMs + outputTokens * prior.msPerToken;
  const { firstTokenMs = prior.firstTokenMs, msPerToken = prior.msPerToken } = observed;
  const seen = { latencyMs: firstTokenMs + outputTokens * msPerToken };
  const { latencyMs, fadedFromMs }: Latency = faded(seen, priorMs, observed.latencyAgeMs, FADES_MS);
  return {
    candidate,
    quality,
    cost: costOf(candidate, request.inputTokens, outputTokens),
    latencyMs,
    fadedFromMs,
    failureRate: clamp(observed.failureRate),
    outputTokens,
  };
}

/** A model that holds the prompt reads it at the price of its cache; for all others it is cold. */
function costOf({ info: { pricing }, holdsPrompt }: Candidate, inputTokens: number, outputTokens: number) {
  if (!pricing) return undefined;
  const { input, output, cacheRead = input } = pricing;
  return ((holdsPrompt ? cacheRead : input) * inputTokens + output * outputTokens) / TOKENS_PER_PRICE;
}

/** The quality of the model in general, less its losses at this task. */
function expectedQuality({ info, fit }: Candidate): number {
  return clamp(info.quality ?? UNKNOWN_QUALITY) * taskFactor(fit);
}

/**
 * At most twice what others write: where answers are short, a model that was not called yet must not look expensive
 * because of long ones.
 */
export function usualOutput(candidates: readonly Candidate[]): number {
  let count = 0;
  let sum = 0;
  for (const { observed } of candidates) {
    if (observed.outputTokens === undefined) continue;
    count += 1;
    sum += observed.outputTokens;
  }
  return count === 0 ? UNKNOWN_OUTPUT_TOKENS : Math.min(UNKNOWN_OUTPUT_TOKENS, (2 * sum) / count);
}

function expectedOutput({ maxTokens }: RouteRequest, { info, observed }: Candidate, usualTokens: number): number {
  // A vector is the whole answer of an embedding model; it has no tokens.
  if (info.dimensions !== undefined) return 0;
  return Math.min(observed.outputTokens ?? usualTokens, maxTokens ?? Number.POSITIVE_INFINITY);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

type Latency = Pick<Estimate, 'latencyMs' | 'fadedFromMs'>;

/**
 * An observed latency after some time without a response: it decays to the expectation for a model without observations, as
 * an exponential, cut off after three time constants.
 *
 * Only worse-than-expected values decay. A model observed as fast is called, and corrects the value
 * itself; one observed as slow is not called, and would be avoided forever.
 */
export function faded(
  latency: Latency,
  expectedMs: number,
  ageMs: number | undefined,
  timeConstantMs: number,
): Latency {
  const { latencyMs } = latency;
  if (ageMs === undefined || ageMs <= 0 || latencyMs <= expectedMs) return latency;
  const left = ageMs < 3 * timeConstantMs ? Math.exp(-ageMs / timeConstantMs) : 0;
  return {
    latencyMs: expectedMs + left * (latencyMs - expectedMs),
    fadedFromMs: latency.fadedFromMs ?? latencyMs,
  };
}

/** Latency to expect of a model that was not called yet. */
export interface LatencyPrior {
  readonly firstTokenMs: number;
  readonly msPerToken: number;
}

const small: LatencyPrior = { firstTokenMs: 300, msPerToken: 10 };
const large: LatencyPrior = { firstTokenMs: 500, msPerToken: 20 };

/** USD per 1,000,000 tokens of output. */
const SMALL_UP_TO_PRICE = 2;

const smallName = /(?:^|[^a-z])(?:mini|nano|tiny|small|lite|flash|haiku|[1-9]b)(?:[^a-z]|$)/i;

/** Chosen by price, if known and not zero; else by typical names of small models; else large. */
function latencyPrior({ name, pricing }: ModelInfo): LatencyPrior {
  const isSmall = pricing && pricing.output > 0 ? pricing.output <= SMALL_UP_TO_PRICE : smallName.test(name);
  return isSmall ? small : large;
}

/** Answers that a model is credited with beforehand, and how many of them fit: one bad answer is not held against it. */
const PRIOR_ANSWERS = 20;
const PRIOR_SHARE = 0.95;

/** A completion that needed a repair counts half. Repaired JSON counts fully. */
const ASKED_AGAIN_SHARE = 0.5;

/**
 * The share of a model's quality at a task that it does not do well, 0 to 1: the mean of a beta distribution over its
 * completions, relative to the prior. Never above 1: a valid completion is not necessarily a good one.
 */
export function taskFactor(fit: TaskFit | undefined): number {
  if (!fit) return 1;
  const { asked, askedAgain, failed } = fit;
  const fitting = asked - failed - askedAgain * (1 - ASKED_AGAIN_SHARE);
  const share = (PRIOR_ANSWERS * PRIOR_SHARE + fitting) / (PRIOR_ANSWERS + asked);
  return Math.min(1, Math.max(0, share / PRIOR_SHARE));
}
