import type { RankedModel, RouteRequest } from '@patchbay/core/plugin';
import { reasonOf, type Scored } from '@patchbay/router-weighted';
import type { Challenger, Contender } from './challengers.ts';

type LearnedQuality = NonNullable<RankedModel['learned']>;

/** The inputs and the outcome of one ranking, for all of its models. */
export interface Decision {
  readonly request: RouteRequest;
  readonly champion: Contender;
  /** The one that is called in place of the champion. */
  readonly tried: Challenger | undefined;
}

/** A model of a ranking. What explains it is put together only when it is read. */
export class LearnedModel implements RankedModel {
  readonly id: string;
  readonly score: number;
  readonly propensity: number;
  readonly #decision: Decision;
  readonly #contender: Contender;
  readonly #challenge: Challenger | undefined;
  #reason: string | undefined;

  constructor(decision: Decision, contender: Contender, challenge: Challenger | undefined, propensity: number) {
    const { champion, tried } = decision;
    this.id = contender.scored.estimate.candidate.id;
    // A model that is tried takes the score of the one whose place it takes.
    this.score = (contender === tried?.contender ? champion : contender).scored.score;
    this.propensity = propensity;
    this.#decision = decision;
    this.#contender = contender;
    this.#challenge = challenge;
  }

  get reason(): string {
    this.#reason ??= this.#writeReason();
    return this.#reason;
  }

  get learned(): LearnedQuality {
    const { mean, deviation, count: scores } = this.#contender.quality;
    const bound = (place: number) => Math.min(1, Math.max(0, mean + place * 1.96 * deviation));
    return { mean, low: bound(-1), high: bound(1), scores, role: this.#role() };
  }

  #role(): LearnedQuality['role'] {
    if (this.#contender === this.#decision.champion) return 'champion';
    if (!this.#challenge) return 'other';
    return this.#challenge.onTrial ? 'trial' : 'challenger';
  }

  #writeReason(): string {
    const { request, champion, tried } = this.#decision;
    const { scored, quality } = this.#contender;
    const { mean, deviation, count } = quality;
    const learned = `${mean.toFixed(2)} ± ${(1.96 * deviation).toFixed(2)} at this task, by ${Math.round(count)} scores`;
    const told = `Quality ${learned}; ${decapitalized(reasonOf(request, asInCatalogue(scored)))}`;
    if (this.#contender !== tried?.contender) return told;
    const why = tried.onTrial ? 'because it has few scores' : 'in case it is better by now';
    return `Tried in place of ${champion.scored.estimate.candidate.id} ${why}. ${told}`;
  }
}

/** The figures of the weighted router, with the quality that the catalogue states. */
function asInCatalogue(scored: Scored): Scored {
  const { quality = 0.5 } = scored.estimate.candidate.info;
  return { ...scored, estimate: { ...scored.estimate, quality } };
}

const decapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
