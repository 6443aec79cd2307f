import type { Estimate } from '@patchbay/router-weighted';

/** Responses that a model is credited with beforehand: one repair does not double its price. */
const PRIOR_ANSWERS = 20;

/** Cost and latency with those of asking again, as often as the model had to be asked again at this task. */
export function withRepairs({ candidate: { fit }, cost, latencyMs }: Estimate): Pick<Estimate, 'cost' | 'latencyMs'> {
  if (!fit) return { cost, latencyMs };
  const times = 1 + (fit.askedAgain + fit.failed) / (fit.asked + PRIOR_ANSWERS);
  return { cost: cost === undefined ? undefined : cost * times, latencyMs: latencyMs * times };
}
