import type { Candidate, RouteRequest } from '@patchbay/core/plugin';
import { faded } from './faded.ts';
import { latencyPrior } from './size-class.ts';
import { taskFactor } from './task-factor.ts';

/** What is expected of one candidate for one request. */
export interface Estimate {
  readonly candidate: Candidate;
  /** 0 to 1. */
  readonly quality: number;
  /** USD; absent where the price is unknown. */
  readonly cost: number | undefined;
  readonly latencyMs: number;
  /** What was observed, where that lies back so far that less is expected now. */
  readonly fadedFromMs?: number;
  /** 0 to 1. */
  readonly failureRate: number;
  readonly outputTokens: number;
}

const UNKNOWN_QUALITY = 0.5;
const UNKNOWN_OUTPUT_TOKENS = 256;
const TOKENS_PER_PRICE = 1_000_000;
/** Time constant of the way back to the prior, for models without an equal that could be asked in their place. */
const FADES_MS = 300_000;

export function estimate(request: RouteRequest, candidate: Candidate): Estimate {
  const { info, observed } = candidate;
  const outputTokens = expectedOutput(request, candidate);
  const prior = latencyPrior(info);
  const priorMs = prior.firstTokenMs + outputTokens * prior.msPerToken;
  const { firstTokenMs = prior.firstTokenMs, msPerToken = prior.msPerToken } = observed;
  const observedMs = firstTokenMs + outputTokens * msPerToken;
  const { pricing } = info;
  return {
    candidate,
    quality: expectedQuality(candidate),
    cost: pricing && (pricing.input * request.inputTokens + pricing.output * outputTokens) / TOKENS_PER_PRICE,
    ...faded({ latencyMs: observedMs }, priorMs, observed.latencyAgeMs, FADES_MS),
    failureRate: clamp(observed.failureRate),
    outputTokens,
  };
}

/** What is known of the model at large, less what it lost at this very task. */
function expectedQuality({ info, fit }: Candidate): number {
  return clamp(info.quality ?? UNKNOWN_QUALITY) * taskFactor(fit);
}

function expectedOutput({ maxTokens }: RouteRequest, { info, observed }: Candidate): number {
  // A vector is the whole answer of an embedding model; it has no tokens.
  if (info.dimensions !== undefined) return 0;
  return Math.min(observed.outputTokens ?? UNKNOWN_OUTPUT_TOKENS, maxTokens ?? Number.POSITIVE_INFINITY);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
