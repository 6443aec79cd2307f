import type { Estimate } from './estimate.ts';

type Latency = Pick<Estimate, 'latencyMs' | 'fadedFromMs'>;

/**
 * What is left of an observed latency after some time without an answer, on its way to what is expected of a model that
 * was never asked: an exponential, cut off after three time constants.
 *
 * Only what is worse than expected fades. A model that was seen to be quick is asked, and corrects the impression by
 * itself; one that was seen to be slow is not asked any more, and would be avoided for good.
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
