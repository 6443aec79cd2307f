import type { Interval } from './interval.ts';
import { wilson } from './wilson.ts';

/**
 * How much greater a share is than another one of the same cases, with Newcombe's interval (1998, method 10): that of
 * Wilson for each share, and the correlation of the two.
 *
 * @param pairs Whether a case has passed on each side. At least one.
 */
export function differenceOfShares(pairs: readonly (readonly [boolean, boolean])[]): Interval {
  const { length } = pairs;
  const count = (first: boolean, second: boolean): number =>
    pairs.filter(([one, other]) => one === first && other === second).length;
  const [both, onlyFirst, onlySecond, neither] = [
    count(true, true),
    count(true, false),
    count(false, true),
    count(false, false),
  ];
  const one = wilson(both + onlyFirst, length);
  const other = wilson(both + onlySecond, length);
  const margins = (both + onlyFirst) * (onlySecond + neither) * (both + onlySecond) * (onlyFirst + neither);
  const product = both * neither - onlyFirst * onlySecond;
  const corrected = product > 0 ? Math.max(0, product - length / 2) : product;
  const correlation = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  const half = (below: number, above: number): number =>
    Math.sqrt(below ** 2 - 2 * correlation * below * above + above ** 2);
  const value = one.value - other.value;
  return {
    value,
    low: value - half(one.value - one.low, other.high - other.value),
    high: value + half(one.high - one.value, other.value - other.low),
  };
}
