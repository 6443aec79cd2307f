import type { RankedModel } from '@patchbay/core/plugin';
import { Ranked } from '@patchbay/router-weighted';

type LearnedQuality = NonNullable<RankedModel['learned']>;

/** A model with what was learned of it, which is put together only when it is read. */
export class LearnedModel extends Ranked {
  readonly #learn: () => LearnedQuality;

  constructor(id: string, score: number, write: () => string, propensity: number, learn: () => LearnedQuality) {
    super(id, score, write, propensity);
    this.#learn = learn;
  }

  get learned(): LearnedQuality {
    return this.#learn();
  }
}
