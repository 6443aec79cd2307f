import type { RankedModel } from '@patchbay/core/plugin';

/** A model whose reason is written only when it is read: for all candidates, that would take longer than everything else. */
export class Ranked implements RankedModel {
  readonly id: string;
  readonly score: number;
  readonly #write: () => string;
  #reason: string | undefined;

  constructor(id: string, score: number, write: () => string) {
    this.id = id;
    this.score = score;
    this.#write = write;
  }

  get reason(): string {
    this.#reason ??= this.#write();
    return this.#reason;
  }
}
