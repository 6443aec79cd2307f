export interface Quantifier {
  readonly min: number;
  readonly max: number;
  /** Place behind it. */
  readonly next: number;
}

/** How often the atom before may stand; `none` where nothing is said, undefined where it cannot be read. */
export function parseQuantifier(source: readonly string[], at: number): Quantifier | 'none' | undefined {
  const bounds = simple.get(source[at] ?? '');
  // Whether as much or as little as possible is matched makes no difference to what matches at all.
  const skipLazy = (next: number): number => (source[next] === '?' ? next + 1 : next);
  if (bounds) return { min: bounds[0], max: bounds[1], next: skipLazy(at + 1) };
  if (source[at] !== '{') return 'none';
  const text = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/.exec(source.slice(at, at + 12).join(''));
  if (!text) return undefined;
  const min = Number(text[1]);
  const unbounded = text[3] ? Number(text[3]) : Number.POSITIVE_INFINITY;
  const max = text[2] === undefined ? min : unbounded;
  return min > max ? undefined : { min, max, next: skipLazy(at + text[0].length) };
}

const simple: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['*', [0, Number.POSITIVE_INFINITY]],
  ['+', [1, Number.POSITIVE_INFINITY]],
  ['?', [0, 1]],
]);
