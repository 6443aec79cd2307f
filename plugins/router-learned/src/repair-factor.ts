import type { TaskFit } from '@patchbay/core/plugin';

/** Responses that a model is credited with beforehand: one repair does not double its price. */
const PRIOR_ANSWERS = 20;

/** Factor of cost and latency for asking again, as often as the model had to be asked again at a task. */
export function repairFactor(fit: TaskFit | undefined): number {
  return fit ? 1 + (fit.askedAgain + fit.failed) / (fit.asked + PRIOR_ANSWERS) : 1;
}
