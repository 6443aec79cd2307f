/** Numbers that look random and are the same for each seed. */
export interface Random {
  /** An integer from 0 up to, but excluding, `below`. */
  below(below: number): number;
  pick<T>(list: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // SplitMix32.
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const below = (bound: number) => next() % bound;
  return { below, pick: (list) => list[below(list.length)] as (typeof list)[number] };
}
