/** Scores of one variant, each from 0 to 1, of which more is better. */
export interface VariantScores {
  readonly count: number;
  readonly sum: number;
}

/**
 * How strongly the scores contradict that `other` is better than `leader` by more than `epsilon`: the logarithm of the
 * factor that one would have won by betting against it.
 *
 * Holds at all times simultaneously: the probability that it ever exceeds `Math.log(1 / delta)` although `other` is
 * better by more than `epsilon` is at most `delta`, however the variants share the calls and however often one looks
 * (Ville, 1939). For each variant the bet is a mixture of likelihood ratios (Robbins, Annals of Mathematical Statistics
 * 41, 1970). Scores between 0 and 1 may replace yes and no, because the likelihood ratio is convex in the score.
 *
 * @param epsilon Difference of means that does not matter, above 0 and below 1.
 */
export function evidenceFor(leader: VariantScores, other: VariantScores, epsilon: number): number {
  const [forLeader, forOther] = [logBet(leader), logBet(other)];
  return minimumOf((mean) => forLeader(mean) + forOther(mean + epsilon), 0, 1 - epsilon);
}

/** The logarithm of the winnings against a mean: a martingale if it is the true mean, for scores of 0 and 1. */
function logBet({ count, sum }: VariantScores): (mean: number) => number {
  if (count === 0) return () => 0;
  const rest = count - sum;
  const mixture = logBeta(sum + 0.5, rest + 0.5) - LOG_PI;
  return (mean) => mixture - timesLog(sum, mean) - timesLog(rest, 1 - mean);
}

/** `logBeta(0.5, 0.5)`, of the mixture before the first score. */
const LOG_PI = Math.log(Math.PI);

const timesLog = (factor: number, value: number): number => (factor === 0 ? 0 : factor * Math.log(value));

const GOLDEN = (Math.sqrt(5) - 1) / 2;
const STEPS = 40;

/** The minimum of a convex function between two bounds, at which it may be infinite: golden-section search. */
function minimumOf(value: (at: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [atLeft, atRight] = [value(left), value(right)];
  for (let step = 0; step < STEPS; step++) {
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - GOLDEN * (high - low);
      atLeft = value(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + GOLDEN * (high - low);
      atRight = value(right);
    }
  }
  return Math.min(atLeft, atRight);
}

const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b);

/** For values from 0.5: Stirling's series, after enough steps of the recurrence to make it exact to 12 digits. */
function logGamma(value: number): number {
  let shifted = value;
  let product = 1;
  for (; shifted < 10; shifted++) product *= shifted;
  const inverse = 1 / shifted;
  const square = inverse * inverse;
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))));
  return (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
}
