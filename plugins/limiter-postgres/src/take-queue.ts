import type { RateCharge } from '@patchbay/core/plugin';

interface Waiting {
  readonly take: Take;
  /** When its caller gives up. */
  readonly deadline: number;
  readonly resolve: (taken: Taken) => void;
  readonly reject: (error: unknown) => void;
}

interface TakeQueueOptions {
  /** Milliseconds for a call, from waiting to its response. */
  readonly timeoutMs: number;
  /** Maximum number of concurrent statements. */
  readonly width: number;
  readonly send: (takes: readonly Take[]) => Promise<readonly Taken[]>;
}

/** Maximum number of calls per statement. */
const MAX_BATCH = 256;

/**
 * Calls that arrive while statements are running share the next one: a burst for one bucket costs a few statements
 * instead of one per call, which would wait for the lock on its row one after the other.
 */
export class TakeQueue {
  readonly #options: TakeQueueOptions;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #scheduled = false;

  constructor(options: TakeQueueOptions) {
    this.#options = options;
  }

  take(take: Take): Promise<Taken> {
    const deadline = performance.now() + this.#options.timeoutMs;
    const taken = new Promise<Taken>((resolve, reject) => {
      this.#waiting.push({ take, deadline, resolve, reject });
    });
    this.#schedule();
    return taken;
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#underWay >= this.#options.width) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    const now = performance.now();
    // Callers that no longer wait must not be charged.
    const late = this.#waiting.filter(({ deadline }) => deadline <= now);
    this.#waiting = this.#waiting.filter(({ deadline }) => deadline > now);
    for (const { reject } of late) reject(new Error('the database of the limits does not answer in time'));
    const batch = this.#waiting.splice(0, MAX_BATCH);
    if (batch.length === 0) return;
    this.#underWay += 1;
    this.#schedule();
    try {
      const taken = await this.#options.send(batch.map(({ take }) => take));
      for (const [index, { resolve }] of batch.entries()) resolve(taken[index] ?? { taken: false, used: [] });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#underWay -= 1;
    this.#schedule();
  }
}

/** One call of the limiter. */
export interface Take {
  readonly charges: readonly RateCharge[];
  /** Take even if too little is left. */
  readonly forced: boolean;
}

/** The result of one call. */
export interface Taken {
  readonly taken: boolean;
  /** Units used in the bucket of each charge, afterwards. */
  readonly used: readonly number[];
}

/** Calls as the parameters of one statement. Buckets that several of them name are listed once. */
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
    // Text in PostgreSQL cannot contain this character.
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

/** The result of a statement, call by call. */
export function readTaken(takes: readonly Take[], answer: readonly number[]): readonly Taken[] {
  let next = 0;
  return takes.map(({ charges }) => {
    const [taken, ...used] = answer.slice(next, next + 1 + charges.length);
    next += 1 + charges.length;
    return { taken: taken === 1, used };
  });
}
