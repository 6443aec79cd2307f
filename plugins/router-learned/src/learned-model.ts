import type { RankedModel, RouteRequest } from '@patchbay/core/plugin';
import { figuresOf } from '@patchbay/router-weighted';
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
  /** Undefined: none may be called instead of the champion. */
  readonly challengers: Challengers | undefined;
  /** The rank of the one that is called first. */
  readonly tried: number;
}

/** A model of a ranking, computed as far as it is read: for all candidates, that would take longer than everything else. */
export class LearnedModel implements RankedModel {
  readonly id: string;
  readonly propensity: number;
  readonly #decision: Decision;
  readonly #rank: number;
  #reason: string | undefined;

  /** @param rank Among the contenders. */
  constructor(decision: Decision, rank: number) {
    this.id = (decision.contenders[rank] as Contender).estimate.candidate.id;
    this.propensity = propensityOf(decision, rank);
    this.#decision = decision;
    this.#rank = rank;
  }

  /** A model that is tried takes the score of the one whose place it takes. */
  get score(): number {
    const { contenders, tried } = this.#decision;
    return (contenders[this.#rank === tried ? 0 : this.#rank] as Contender).score;
  }

  get reason(): string {
    this.#reason ??= this.#writeReason();
    return this.#reason;
  }

  get learned(): LearnedQuality {
    return { ...this.#decision.qualities.learned(this.#contender.place), role: this.#role() };
  }

  get #contender(): Contender {
    return this.#decision.contenders[this.#rank] as Contender;
  }

  #role(): LearnedQuality['role'] {
    if (this.#rank === 0) return 'champion';
    if (this.propensity === 0) return 'other';
    return this.#decision.challengers?.onTrial ? 'trial' : 'challenger';
  }

  #writeReason(): string {
    const { request, contenders, qualities, challengers, tried } = this.#decision;
    const contender = this.#contender;
    const { quality = 0.5 } = contender.estimate.candidate.info;
    const told = `${qualities.told(contender.place)}; for ${figuresOf(request, contender, quality)}`;
    if (this.#rank !== tried || tried === 0) return told;
    const why = challengers?.onTrial ? 'because it has few scores' : 'in case it is better by now';
    return `Tried in place of ${contenders[0]?.estimate.candidate.id} ${why}. ${told}`;
  }
}

function propensityOf({ challengers }: Decision, rank: number): number {
  if (challengers) return challengers.propensities[rank] as number;
  return rank === 0 ? 1 : 0;
}
