import type { TaskFit } from '@patchbay/contracts/router';

/** How the responses of one model to one task matched its schema, as counted at a time. */
export interface FitCounts extends TaskFit {
  /** Milliseconds, of a clock that replicas share. */
  readonly at: number;
}

/** How a requested object was obtained. */
export type Fit = 'fitted' | 'mended' | 'asked-again' | 'failed';

/** Counts decay, so that an avoided model gets another chance if it has improved. */
const FADES_MS = 6 * 3_600_000;

/** The counts at another time. */
export function fadedTo(fit: FitCounts, now: number): FitCounts {
  const left = Math.exp(Math.min(0, fit.at - now) / FADES_MS);
  return {
    at: Math.max(fit.at, now),
    asked: fit.asked * left,
    everAsked: fit.everAsked ?? 0,
    mended: fit.mended * left,
    askedAgain: fit.askedAgain * left,
    failed: fit.failed * left,
  };
}

/** The counts with those of other responses. The order plays no part. */
export function addFits(one: FitCounts | undefined, other: FitCounts): FitCounts {
  if (!one) return other;
  const at = Math.max(one.at, other.at);
  const [a, b] = [fadedTo(one, at), fadedTo(other, at)];
  return {
    at,
    asked: a.asked + b.asked,
    everAsked: (a.everAsked ?? 0) + (b.everAsked ?? 0),
    mended: a.mended + b.mended,
    askedAgain: a.askedAgain + b.askedAgain,
    failed: a.failed + b.failed,
  };
}

/** The counts of one response. */
export function fitCounts(fit: Fit, at: number): FitCounts {
  return {
    at,
    asked: 1,
    everAsked: 1,
    mended: Number(fit === 'mended'),
    askedAgain: Number(fit === 'asked-again'),
    failed: Number(fit === 'failed'),
  };
}
