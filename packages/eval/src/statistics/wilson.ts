import { type Interval, Z_95 } from './interval.ts';

/**
 * A share with its Wilson score interval (Wilson, 1927), which holds for few observations, and for shares near 0 and 1.
 *
 * @param count At least 1.
 */
export function wilson(passed: number, count: number): Interval {
  const value = passed / count;
  const z = Z_95 ** 2;
  const center = (value + z / (2 * count)) / (1 + z / count);
  const half = (Z_95 / (1 + z / count)) * Math.sqrt((value * (1 - value)) / count + z / (4 * count ** 2));
  return { value, low: Math.max(0, center - half), high: Math.min(1, center + half) };
}
