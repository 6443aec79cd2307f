/**
 * An argument of a script that is a count: its size, its rounds, its seed. A run of another size than was meant would say
 * nothing, and could be recorded.
 *
 * @param place In the command line, the first after the script being 1.
 * @throws Error for anything but a whole number.
 *
 * @example
 * ```ts
 * import { countArgument } from './scripts/count-argument.ts';
 *
 * const rounds = countArgument(1, 20);
 * ```
 */
export function countArgument(place: number, fallback: number): number {
  const given = process.argv[place + 1];
  if (given === undefined) return fallback;
  if (!/^\d{1,15}$/.test(given)) throw new Error(`argument ${place} must be a whole number, not ${given}`);
  return Number(given);
}
