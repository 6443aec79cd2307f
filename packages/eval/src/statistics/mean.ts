import { type Interval, Z_95 } from './interval.ts';

/**
 * A mean with the interval of Student's t, which is exact for normally distributed values.
 *
 * @returns Undefined for fewer than two values.
 */
export function meanOf(values: readonly number[]): Interval | undefined {
  const { length } = values;
  if (length < 2) return undefined;
  const value = values.reduce((sum, each) => sum + each, 0) / length;
  const variance = values.reduce((sum, each) => sum + (each - value) ** 2, 0) / (length - 1);
  const half = t95(length - 1) * Math.sqrt(variance / length);
  return { value, low: value - half, high: value + half };
}

/** Quantiles for which the expansion below is not close enough. */
const fewDegrees = [12.7062, 4.3027, 3.1824, 2.7764];

/** The 97.5 % quantile of Student's t, by its expansion in the normal quantile (Abramowitz and Stegun, 26.7.5). */
function t95(degrees: number): number {
  const z = Z_95;
  return (
    fewDegrees[degrees - 1] ??
    z +
      (z ** 3 + z) / (4 * degrees) +
      (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
      (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
  );
}
