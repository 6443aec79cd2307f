import { type Interval, Z_95 } from '../statistics/interval.ts';

/**
 * Pearson's correlation of pairs, with the interval of Fisher's transformation (1921).
 *
 * @returns Undefined for fewer than four pairs, and if one side is constant.
 */
export function correlation(pairs: readonly (readonly [number, number])[]): Interval | undefined {
  const { length } = pairs;
  if (length < 4) return undefined;
  const mean = (side: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[side], 0) / length;
  const means = [mean(0), mean(1)] as const;
  let [product, first, second] = [0, 0, 0];
  for (const [one, other] of pairs) {
    product += (one - means[0]) * (other - means[1]);
    first += (one - means[0]) ** 2;
    second += (other - means[1]) ** 2;
  }
  if (first === 0 || second === 0) return undefined;
  const value = Math.max(-1, Math.min(1, product / Math.sqrt(first * second)));
  const center = Math.atanh(value);
  const half = Z_95 / Math.sqrt(length - 3);
  return { value, low: Math.tanh(center - half), high: Math.tanh(center + half) };
}
