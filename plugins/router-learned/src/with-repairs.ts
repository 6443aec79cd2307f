import type { Estimate } from '@patchbay/router-weighted';

/** Responses that a model is credited with beforehand: one repair does not double its price. */
const PRIOR_ANSWERS = 20;

/** The estimate with the cost and the time of asking again, as often as the model had to be asked again at this task. */
export function withRepairs(estimate: Estimate): Estimate {
  const { fit } = estimate.candidate;
  if (!fit) return estimate;
  const times = 1 + (fit.askedAgain + fit.failed) / (fit.asked + PRIOR_ANSWERS);
  return {
    ...estimate,
    cost: estimate.cost === undefined ? undefined : estimate.cost * times,
    latencyMs: estimate.latencyMs * times,
  };
}
