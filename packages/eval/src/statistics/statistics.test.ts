import { describe, expect, it } from 'vitest';
import type { Interval } from './interval.ts';
import { meanOf } from './mean.ts';
import { differenceOfShares } from './paired-shares.ts';

const rounded = ({ value, low, high }: Interval) => [value, low, high].map((each) => Number(each.toFixed(4)));

describe('the mean of values', () => {
  // Half widths in standard errors are the quantiles in tables of Student's t.
  it.each([
    [2, 12.706],
    [3, 4.303],
    [4, 3.182],
    [5, 2.776],
    [6, 2.571],
    [11, 2.228],
    [31, 2.042],
    [201, 1.972],
  ])('has an interval of Student for %i values', (count, quantile) => {
    const values = Array.from({ length: count }, (_, index) => index);
    const { value, high } = meanOf(values) as Interval;
    const error = Math.sqrt(values.reduce((sum, each) => sum + (each - value) ** 2, 0) / (count - 1) / count);
    expect((high - value) / error).toBeCloseTo(quantile, 2);
  });

  it('has no interval for a single value', () => {
    expect(meanOf([1])).toBeUndefined();
  });
});

describe('the difference of two shares of the same cases', () => {
  const pairs = (both: number, onlyFirst: number, onlySecond: number, neither: number) => [
    ...Array.from({ length: both }, () => [true, true] as const),
    ...Array.from({ length: onlyFirst }, () => [true, false] as const),
    ...Array.from({ length: onlySecond }, () => [false, true] as const),
    ...Array.from({ length: neither }, () => [false, false] as const),
  ];

  it.each([
    [
      [36, 12, 2, 0],
      [0.2, 0.0569, 0.3404],
    ],
    [
      [54, 0, 0, 0],
      [0, -0.0664, 0.0664],
    ],
    [
      [0, 30, 0, 0],
      [1, 0.8395, 1],
    ],
  ])('has the interval of Newcombe for %j', (counts, expected) => {
    const [both = 0, onlyFirst = 0, onlySecond = 0, neither = 0] = counts;
    expect(rounded(differenceOfShares(pairs(both, onlyFirst, onlySecond, neither)))).toEqual(expected);
    const [value = 0, low = 0, high = 0] = expected;
    const mirrored = rounded(differenceOfShares(pairs(both, onlySecond, onlyFirst, neither)));
    expect(mirrored.map((each) => each + 0)).toEqual([-value + 0, -high, -low]);
  });

  it('is known better where the same cases pass on both sides', () => {
    const widthOf = ({ low, high }: Interval): number => high - low;
    expect(widthOf(differenceOfShares(pairs(20, 2, 2, 20)))).toBeLessThan(
      widthOf(differenceOfShares(pairs(11, 11, 11, 11))) * 0.6,
    );
  });
});
