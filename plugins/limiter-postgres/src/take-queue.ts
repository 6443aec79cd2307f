import type { Take, Taken } from './take-batch.ts';

interface Waiting {
  readonly take: Take;
  /** When nobody waits for it any more. */
  readonly deadline: number;
  readonly resolve: (taken: Taken) => void;
  readonly reject: (error: unknown) => void;
}

export interface TakeQueueOptions {
  /** Milliseconds that a call may wait and be answered in. */
  readonly timeoutMs: number;
  /** Statements under way at the same time. */
  readonly width: number;
  readonly send: (takes: readonly Take[]) => Promise<readonly Taken[]>;
}

/** Calls of one statement. */
const MAX_BATCH = 256;

/**
 * Calls that come while statements are under way share the next one: a burst for one bucket costs some statements, and not
 * one for each call, which would wait for the lock on its row one after the other.
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
    // Who has given up must not be charged.
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
