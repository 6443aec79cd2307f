import type { Code } from './code.ts';
import type { Ending } from './run-outcome.ts';

const MAX_KNOWN = 1024;
const HEAVY = new Set(['memory_limit', 'output_too_large', 'cpu_limit', 'call_limit']);

/** Remembers which code took much the last time: it is likely to do so again, and then does not go first. */
export class KnownLong {
  readonly #keys = new Set<string>();

  has({ key }: Code): boolean {
    return this.#keys.has(key);
  }

  /** A run is over. */
  ended({ key }: Code, ending: Ending, wasLong: boolean): void {
    this.#keys.delete(key);
    if (!wasLong && !(ending.kind === 'failure' && HEAVY.has(ending.reason))) return;
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > MAX_KNOWN && oldest !== undefined) this.#keys.delete(oldest);
  }
}
