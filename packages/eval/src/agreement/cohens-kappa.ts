import { type Interval, Z_95 } from '../statistics/interval.ts';

/** How often two judges pass and fail an answer: rows by one judge, columns by the other, `pass` before `fail`. */
export type Confusion = readonly [readonly [number, number], readonly [number, number]];

/**
 * Cohen's kappa (1960): how much more two judges agree than by chance, 1 for always. The interval has the standard
 * error for large samples by Fleiss, Cohen and Everitt (1969).
 *
 * @returns Undefined if chance explains everything, as when both pass all.
 */
export function cohensKappa(counts: Confusion): Interval | undefined {
  const count = counts.flat().reduce((sum, each) => sum + each, 0);
  const share = (row: 0 | 1, column: 0 | 1): number => counts[row][column] / count;
  const rows = [share(0, 0) + share(0, 1), share(1, 0) + share(1, 1)] as const;
  const columns = [share(0, 0) + share(1, 0), share(0, 1) + share(1, 1)] as const;
  const observed = share(0, 0) + share(1, 1);
  const expected = rows[0] * columns[0] + rows[1] * columns[1];
  if (count === 0 || expected === 1) return undefined;
  const value = (observed - expected) / (1 - expected);
  let variance = -((value - expected * (1 - value)) ** 2);
  for (const row of [0, 1] as const) {
    for (const column of [0, 1] as const) {
      const weight =
        row === column ? 1 - (rows[row] + columns[row]) * (1 - value) : (1 - value) * (columns[row] + rows[column]);
      variance += share(row, column) * weight ** 2;
    }
  }
  const half = (Z_95 * Math.sqrt(Math.max(0, variance) / count)) / (1 - expected);
  return { value, low: Math.max(-1, value - half), high: Math.min(1, value + half) };
}
