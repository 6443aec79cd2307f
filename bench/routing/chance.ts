/** Random numbers that repeat with their seed. */
export interface Chance {
  /** Uniform in [0, 1). */
  readonly next: () => number;
  normal(mean: number, deviation: number): number;
  below(count: number): number;
  /** Beta(a, b), both at least 1, by two gamma draws (Marsaglia and Tsang). */
  beta(a: number, b: number): number;
}

export function createChance(seed: number): Chance {
  let state = (seed * 0x9e3779b9) >>> 0;
  // Mulberry32: small, quick, and good enough for arms of a simulation.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = (mean: number, deviation: number): number =>
    mean + deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const gamma = (shape: number): number => {
    const d = shape - 1 / 3;
    for (;;) {
      const x = normal(0, 1);
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(1 - next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  };
  return {
    next,
    normal,
    below: (count) => Math.floor(next() * count),
    beta(a, b) {
      const one = gamma(a);
      return one / (one + gamma(b));
    },
  };
}

export function shuffled<T>(items: readonly T[], chance: Chance): readonly T[] {
  const order = [...items];
  for (let left = order.length - 1; left > 0; left -= 1) {
    const place = chance.below(left + 1);
    [order[left], order[place]] = [order[place] as T, order[left] as T];
  }
  return order;
}
