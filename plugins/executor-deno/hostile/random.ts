/** Numbers that look random and come again for the same seed (mulberry32). */
export interface Random {
  /** At least 0, below the limit. */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick(values) {
      const value = values[below(values.length)];
      if (value === undefined) throw new RangeError('there is nothing to pick from');
      return value;
    },
  };
}

/** So many of the values, or all of them where there are fewer, in their order. */
export function sampleOf<T>(values: readonly T[], count: number, seed: number): readonly T[] {
  const random = createRandom(seed);
  const left = values.map((_, index) => index);
  while (left.length > count) left.splice(random.below(left.length), 1);
  return left.flatMap((index) => values.slice(index, index + 1));
}
