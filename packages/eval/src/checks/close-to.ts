import { type Check, vote } from '../eval-case.ts';
import { outputCheck } from './output-check.ts';
import { valueAt } from './value-at.ts';

/** How far a number may be from a value. */
export interface Tolerance {
  /** Default: the number in `expected`. */
  readonly value?: number;
  readonly absolute?: number;
  /** Part of the value. */
  readonly relative?: number;
}

/** Numbers at these locations are close to a value: by the absolute or by the relative tolerance. */
export function closeTo(places: Readonly<Record<string, Tolerance>>, expected: unknown): Check {
  const wanted = Object.entries(places).map(([pointer, { value, absolute = 0, relative = 0 }]) => {
    const target = value ?? valueAt(expected, pointer);
    return { pointer, target, tolerance: Math.max(absolute, relative * Math.abs(Number(target))) };
  });
  const texts = wanted.map(({ pointer, target, tolerance }) => `${pointer} ${String(target)} ± ${tolerance}`);
  return outputCheck('closeTo', texts.join(', '), (output) => {
    const without = wanted.find(({ target }) => typeof target !== 'number');
    if (without) return { noVote: `no number is expected at ${without.pointer}` };
    return vote(
      wanted.every(({ pointer, target, tolerance }) => {
        const actual = valueAt(output, pointer);
        return typeof actual === 'number' && Math.abs(actual - (target as number)) <= tolerance;
      }),
    );
  });
}
