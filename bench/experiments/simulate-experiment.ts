import { allocate, type StoppingRule } from '../../packages/core/src/experiments/allocate.ts';
import { createChance } from '../routing/chance.ts';

/** Variants with hidden probabilities of a good answer, and the rule that the experiment between them follows. */
export interface ExperimentScenario {
  readonly means: readonly number[];
  readonly rule: StoppingRule;
  /** Calls until the score of a call arrives. */
  readonly delay: number;
}

export interface SimulatedOutcome {
  /** Scores until the end. */
  readonly scores: number;
  /** Whether the chosen variant is worse than the best by more than epsilon, or undefined without an end. */
  readonly isWrong: boolean | undefined;
}

/** Run one experiment to its end, as the server does: after each score it may end. */
export function simulateExperiment(
  { means, rule, delay }: ExperimentScenario,
  seed: number,
  mostScores = 100_000,
): SimulatedOutcome {
  const chance = createChance(seed);
  const variants = means.map(() => ({ count: 0, sum: 0 }));
  const awaited: { readonly variant: number; readonly score: number }[] = [];
  let { shares } = allocate(variants, rule);
  for (let scores = 0; scores < mostScores; ) {
    const variant = drawn(shares, chance.next());
    awaited.push({ variant, score: chance.next() < (means[variant] as number) ? 1 : 0 });
    if (awaited.length <= delay) continue;
    const { variant: scored, score } = awaited.shift() as (typeof awaited)[number];
    const counts = variants[scored] as (typeof variants)[number];
    counts.count += 1;
    counts.sum += score;
    scores += 1;
    const { leader, progress, ...state } = allocate(variants, rule);
    ({ shares } = state);
    if (progress < 1) continue;
    return { scores, isWrong: (means[leader] as number) < Math.max(...means) - rule.epsilon };
  }
  return { scores: mostScores, isWrong: undefined };
}

function drawn(shares: readonly number[], chance: number): number {
  let sum = 0;
  const found = shares.findIndex((share) => {
    sum += share;
    return chance < sum;
  });
  return found < 0 ? shares.length - 1 : found;
}

/**
 * Scores that a one-sided z-test with this error and a power of 0.9 takes, planned with the true means of two variants; for equal ones,
 * to exclude a difference of epsilon.
 */
export function fixedSize([one = 0, other = 0]: readonly number[], { delta, epsilon }: StoppingRule): number {
  const difference = Math.max(Math.abs(one - other), epsilon);
  const variance = one * (1 - one) + other * (1 - other);
  return Math.ceil(2 * ((normalQuantile(1 - delta) + normalQuantile(0.9)) / difference) ** 2 * variance);
}

/**
 * Quantile of the standard normal distribution, by bisection of its distribution function (Abramowitz and Stegun
 * 26.2.17).
 */
function normalQuantile(probability: number): number {
  let [low, high] = [-8, 8];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (normalDistribution(middle) < probability) low = middle;
    else high = middle;
  }
  return low;
}

function normalDistribution(value: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(value));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return value < 0 ? tail : 1 - tail;
}
