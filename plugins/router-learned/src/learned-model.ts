import type { RankedModel, RouteRequest } from '@patchbay/core/plugin';
import { reasonOf } from '@patchbay/router-weighted';
import type { Challengers } from './challengers.ts';
import type { Contender } from './contender.ts';
import type { Qualities } from './qualities.ts';

type LearnedQuality = NonNullable<RankedModel['learned']>;

/** The inputs and the outcome of one ranking, for all of its models. */
export interface Decision {
  readonly request: RouteRequest;
  readonly qualities: Qualities;
  /** The champion is the first. */
  readonly contenders: readonly Contender[];
  readonly challengers: Challengers;
  /** The rank of the one that is called instead of the champion. */
  readonly tried: number | undefined;
}

/** A model of a ranking, computed as far as it is read: for all candidates, that would take longer than everything else. */
export class LearnedModel implements RankedModel {
  readonly #decision: Decision;
  readonly #rank: number;
  #reason: string | undefined;

  /** @param rank Among the contenders. */
  constructor(decision: Decision, rank: number) {
    this.#decision = decision;
    this.#rank = rank;
  }

  get id(): string {
    return this.#contender.estimate.candidate.id;
  }

  /** A model that is tried takes the score of the one whose place it takes. */
  get score(): number {
    const { contenders, tried } = this.#decision;
    return (contenders[this.#rank === tried ? 0 : this.#rank] as Contender).score;
  }

  get propensity(): number {
    const { propensities } = this.#decision.challengers;
    if (this.#rank > 0) return propensities[this.#rank] ?? 0;
    return 1 - propensities.reduce((sum, propensity) => sum + propensity, 0);
  }

  get reason(): string {
    this.#reason ??= this.#writeReason();
    return this.#reason;
  }

  get learned(): LearnedQuality {
    const { mean, deviation, scores } = this.#quality();
    const bound = (side: number) => onScale(mean + side * 1.96 * deviation);
    return { mean, low: bound(-1), high: bound(1), scores, role: this.#role() };
  }

  get #contender(): Contender {
    return this.#decision.contenders[this.#rank] as Contender;
  }

  #quality() {
    const { qualities } = this.#decision;
    const { place } = this.#contender;
    return {
      mean: onScale(qualities.mean(place)),
      deviation: qualities.deviation(place),
      scores: qualities.count(place),
    };
  }

  #role(): LearnedQuality['role'] {
    if (this.#rank === 0) return 'champion';
    if (this.propensity === 0) return 'other';
    return this.#decision.challengers.onTrial ? 'trial' : 'challenger';
  }

  #writeReason(): string {
    const { request, contenders, challengers, tried } = this.#decision;
    const contender = this.#contender;
    const { mean, low, high, scores } = this.learned;
    const interval = `${mean.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
    const learned = `${interval} at this task, by ${Math.round(scores)} scores`;
    const { quality = 0.5 } = contender.estimate.candidate.info;
    const told = `Quality ${learned}; ${decapitalized(reasonOf(request, contender, quality))}`;
    if (this.#rank !== tried) return told;
    const why = challengers.onTrial ? 'because it has few scores' : 'in case it is better by now';
    return `Tried in place of ${contenders[0]?.estimate.candidate.id} ${why}. ${told}`;
  }
}

/** Scores are from 0 to 1; where all of them are high, the estimate of a model without any is beyond. */
const onScale = (quality: number): number => Math.min(1, Math.max(0, quality));

const decapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
