import type { RankedModel, RouteRequest } from '@patchbay/core/plugin';
import type { Scored } from './equal-deployments.ts';
import { reasonOf } from './reason.ts';

/** A model whose reason is written only when it is read: for all candidates, that would take longer than everything else. */
export class Ranked implements RankedModel {
  readonly id: string;
  readonly score: number;
  readonly #request: RouteRequest;
  readonly #scored: Scored;
  #reason: string | undefined;

  constructor(request: RouteRequest, scored: Scored) {
    this.id = scored.estimate.candidate.id;
    this.score = scored.score;
    this.#request = request;
    this.#scored = scored;
  }

  get reason(): string {
    this.#reason ??= reasonOf(this.#request, this.#scored);
    return this.#reason;
  }
}
