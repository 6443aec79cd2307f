import type { RouteRequest, TaskFit } from '@patchbay/core/plugin';
import type { Scored } from './equal-deployments.ts';
import { taskFactor } from './estimate.ts';

/** One sentence with the figures that decided. */
export function reasonOf(request: RouteRequest, scored: Scored): string {
  return `For ${figuresOf(request, scored)}`;
}

/** The end of the sentence, for callers that add more to it. @param expectedQuality Default: that of the estimate. */
export function figuresOf(
  { optimize }: RouteRequest,
  { estimate, drawnFrom }: Scored,
  expectedQuality = estimate.quality,
): string {
  const { cost, outputTokens, candidate } = estimate;
  const { info, observed } = candidate;
  const quality = `quality ${expectedQuality.toFixed(2)}${info.quality === undefined ? ' (assumed)' : ''}`;
  const task = taskOf(candidate.fit);
  const warm = candidate.holdsPrompt ? ' with the prompt in its cache' : '';
  const price = cost === undefined ? 'price unknown and taken for the highest' : `about $${dollars(cost)}${warm}`;
  const assumed = observed.firstTokenMs === undefined ? ' (assumed)' : '';
  const tokens = outputTokens > 0 ? ` for ${Math.round(outputTokens)} tokens of answer` : '';
  const latency = `about ${Math.round(estimate.latencyMs)} ms${assumed}${tokens}${fading(estimate)}`;
  const failures = `${Math.round(estimate.failureRate * 100)} % failures`;
  const drawn =
    drawnFrom === undefined ? '' : `; drawn among ${drawnFrom} equal deployments, with ${observed.inFlight} under way`;
  return `${optimize}: ${quality}${task}, ${price}, ${latency}, ${failures}${drawn}.`;
}

/** Two digits, and never `1.2e-7`. An `Intl.NumberFormat` would load the data of a language at every start. */
function dollars(cost: number): string {
  const rounded = Number(cost.toPrecision(2));
  if (rounded === 0 || rounded >= 1e-6) return String(rounded);
  const decimals = Math.min(100, 1 - Math.floor(Math.log10(rounded)));
  return rounded.toFixed(decimals).replace(/\.?0+$/, '');
}

/** Said where it makes a difference. Counts decay, and do not stay whole numbers for long. */
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
