import type { RateCharge } from '@patchbay/core/plugin';

/** One call of the limiter. */
export interface Take {
  readonly charges: readonly RateCharge[];
  /** Take even where there is too little. */
  readonly forced: boolean;
}

/** What came of one. */
export interface Taken {
  readonly taken: boolean;
  /** Units that are used of the bucket of each charge, afterwards. */
  readonly used: readonly number[];
}

/** Calls as the parameters of one statement. Buckets that several of them name are there once. */
export function takeParameters(takes: readonly Take[], now: number | undefined): unknown[] {
  const places = new Map<string, number>();
  const rates: number[] = [];
  const charges = takes.flatMap((take) => take.charges);
  for (const { key, policy } of charges) {
    if (places.has(key)) continue;
    places.set(key, places.size + 1);
    rates.push(policy.requests / policy.seconds / 1_000);
  }
  return [
    // No text of PostgreSQL has this character.
    [...places.keys()].map((key) => key.replaceAll('\0', '\\0')),
    rates,
    takes.map((take) => take.charges.length),
    takes.map(({ forced }) => forced),
    charges.map(({ key }) => places.get(key)),
    charges.map(({ cost }) => cost),
    charges.map(({ policy }) => policy.burst),
    now ?? null,
  ];
}

/** The answer to a statement, call by call. */
export function readTaken(takes: readonly Take[], answer: readonly number[]): readonly Taken[] {
  let next = 0;
  return takes.map(({ charges }) => {
    const [taken, ...used] = answer.slice(next, next + 1 + charges.length);
    next += 1 + charges.length;
    return { taken: taken === 1, used };
  });
}
