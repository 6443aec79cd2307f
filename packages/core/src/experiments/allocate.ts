import { createHash } from 'node:crypto';
import type { ExperimentRow } from '@patchbay/contracts/rows';
import { evidenceFor, type VariantScores } from './evidence.ts';

/** When an experiment ends on its own. */
export interface StoppingRule {
  /** Probability of choosing a variant that is worse than the best by more than `epsilon`: at most. */
  readonly delta: number;
  /** Difference of scores that does not matter. */
  readonly epsilon: number;
  /** Scores that each variant has before the calls are shared unevenly, or the experiment ends. */
  readonly minPerVariant: number;
}

/** The state of an experiment, from the scores of its variants. */
export interface Allocation {
  /** Share of the calls for each variant, adding up to 1. */
  readonly shares: readonly number[];
  /** Index of the variant with the highest mean. */
  readonly leader: number;
  /** The evidence that no other variant is better by more than `epsilon`, from 0 to 1: at 1, it suffices. */
  readonly progress: number;
}

/**
 * Divide the calls of an experiment so that it ends soon: half of them go to the leader, half to the variant with the
 * least evidence that it is not better. This is EB-TCε (Jourdan, Degenne, Kaufmann: "An ε-Best-Arm Identification
 * Algorithm for Fixed-Confidence and Beyond", NeurIPS 2023), with the anytime-valid evidence of `evidenceFor` for
 * stopping.
 */
export function allocate(variants: readonly VariantScores[], rule: StoppingRule): Allocation {
  const means = variants.map(({ count, sum }) => (count === 0 ? 0 : sum / count));
  const leader = means.indexOf(Math.max(...means));
  const best = variants[leader] as VariantScores;
  const evidence = variants.map((other, place) =>
    place === leader ? Number.POSITIVE_INFINITY : evidenceFor(best, other, rule.epsilon),
  );
  const least = Math.min(...evidence);
  // One of the others is the best: each of them is tested.
  const needed = Math.log((variants.length - 1) / rule.delta);
  const progress = Math.min(1, Math.max(0, least / needed));
  if (variants.some(({ count }) => count < rule.minPerVariant)) {
    return { shares: variants.map(() => 1 / variants.length), leader, progress: Math.min(progress, 0.99) };
  }
  const challenger = evidence.indexOf(least);
  return { shares: variants.map((_, place) => (place === leader || place === challenger ? 0.5 : 0)), leader, progress };
}

/** The state of a stored experiment. With `fixed` allocation, the shares stay equal. */
export function allocationOf({ allocation, variants, rule }: ExperimentRow): Allocation {
  const state = allocate(variants, rule);
  return allocation === 'adaptive' ? state : { ...state, shares: variants.map(() => 1 / variants.length) };
}

/**
 * The settings version for a call.
 *
 * Weighted rendezvous hashing (Schindelhauer, Schomaker: "Weighted Distributed Hash Tables", SPAA 2005): calls about
 * one subject have the same version as long as the shares stay the same, and few subjects move when they change.
 *
 * @param subject Whom or what the call is about; undefined: the draw is random.
 */
export function drawVariant(row: ExperimentRow, subject: string | undefined, random: () => number): number {
  const { shares } = allocationOf(row);
  const distances = row.variants.map(({ version }, place) => {
    const uniform = subject === undefined ? random() : hashed(`${row.id}\n${version}\n${subject}`);
    return -Math.log(1 - uniform) / (shares[place] as number);
  });
  const nearest = distances.indexOf(Math.min(...distances));
  return (row.variants[nearest] as ExperimentRow['variants'][number]).version;
}

/** Uniform in [0, 1). */
function hashed(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48;
}
