import type { RankedModel, RouteRequest } from '@patchbay/core/plugin';
import { reasonOf, type Scored } from '@patchbay/router-weighted';
import type { Challengers } from './challengers.ts';
import type { Contender } from './contender.ts';

type LearnedQuality = NonNullable<RankedModel['learned']>;

/** The inputs and the outcome of one ranking, for all of its models. */
export interface Decision {
  readonly request: RouteRequest;
  /** The champion is the first. */
  readonly contenders: readonly Contender[];
  readonly challengers: Challengers;
  /** The place of the one that is called instead of the champion. */
  readonly tried: number | undefined;
}

/** A model of a ranking. What explains it is put together only when it is read. */
export class LearnedModel implements RankedModel {
  readonly id: string;
  readonly score: number;
  readonly propensity: number;
  readonly #decision: Decision;
  readonly #place: number;
  #reason: string | undefined;

  /** @param place Among the contenders. */
  constructor(decision: Decision, place: number, propensity: number) {
    const { contenders, tried } = decision;
    this.id = (contenders[place] as Contender).estimate.candidate.id;
    // A model that is tried takes the score of the one whose place it takes.
    this.score = (contenders[place === tried ? 0 : place] as Contender).score;
    this.propensity = propensity;
    this.#decision = decision;
    this.#place = place;
  }

  get reason(): string {
    this.#reason ??= this.#writeReason();
    return this.#reason;
  }

  get learned(): LearnedQuality {
    const { mean, deviation, count: scores } = this.#contender.estimate.learned;
    const bound = (place: number) => Math.min(1, Math.max(0, mean + place * 1.96 * deviation));
    return { mean, low: bound(-1), high: bound(1), scores, role: this.#role() };
  }

  get #contender(): Contender {
    return this.#decision.contenders[this.#place] as Contender;
  }

  #role(): LearnedQuality['role'] {
    if (this.#place === 0) return 'champion';
    if (this.propensity === 0) return 'other';
    return this.#decision.challengers.onTrial ? 'trial' : 'challenger';
  }

  #writeReason(): string {
    const { request, contenders, challengers, tried } = this.#decision;
    const contender = this.#contender;
    const { mean, deviation, count } = contender.estimate.learned;
    const learned = `${mean.toFixed(2)} ± ${(1.96 * deviation).toFixed(2)} at this task, by ${Math.round(count)} scores`;
    const told = `Quality ${learned}; ${decapitalized(reasonOf(request, asInCatalogue(contender)))}`;
    if (this.#place !== tried) return told;
    const why = challengers.onTrial ? 'because it has few scores' : 'in case it is better by now';
    return `Tried in place of ${contenders[0]?.estimate.candidate.id} ${why}. ${told}`;
  }
}

/** The figures of the weighted router, with the quality that the catalogue states. */
function asInCatalogue(scored: Scored): Scored {
  const { quality = 0.5 } = scored.estimate.candidate.info;
  return { ...scored, estimate: { ...scored.estimate, quality } };
}

const decapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
