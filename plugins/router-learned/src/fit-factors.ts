import type { Candidate, TaskFit } from '@patchbay/core/plugin';
import { taskFactor } from '@patchbay/router-weighted';

/** Responses that a model is credited with beforehand: one repair does not double its price. */
const PRIOR_ANSWERS = 20;

/**
 * Factors of each candidate, by its place, for how its completions fit the task. A request changes the counts of one or two
 * candidates: only those are read again.
 */
export class FitFactors {
  readonly #fits: (TaskFit | undefined)[] = [];
  readonly #task: number[] = [];
  readonly #repair: number[] = [];

  /** @param candidates In the same places each time. */
  update(candidates: readonly Candidate[]): void {
    for (let place = 0; place < candidates.length; place += 1) {
      const { fit } = candidates[place] as Candidate;
      if (place < this.#fits.length && fit === this.#fits[place]) continue;
      this.#fits[place] = fit;
      this.#task[place] = taskFactor(fit);
      this.#repair[place] = repairFactor(fit);
    }
  }

  /** The share of its quality that a model has at the task. */
  task(place: number): number {
    return this.#task[place] as number;
  }

  /** Factor of cost and latency for asking again, as often as the model had to be asked again. */
  repair(place: number): number {
    return this.#repair[place] as number;
  }
}

function repairFactor(fit: TaskFit | undefined): number {
  return fit ? 1 + (fit.askedAgain + fit.failed) / (fit.asked + PRIOR_ANSWERS) : 1;
}
