import type { Sandbox } from './sandbox.ts';

/** Those who wait for a spare to be left over, in the order in which they came. */
export class SpareLine {
  readonly #waiting = new Set<(spare: Sandbox | undefined) => void>();

  get length(): number {
    return this.#waiting.size;
  }

  /**
   * Settles with a spare, or with nothing when it took too long.
   *
   * @throws The reason of the signal.
   */
  wait(patienceMs: number, signal: AbortSignal): Promise<Sandbox | undefined> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#waiting.delete(hand);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const hand = (spare: Sandbox | undefined): void => {
        settle();
        resolve(spare);
      };
      const onAbort = (): void => {
        settle();
        reject(signal.reason);
      };
      const timer = setTimeout(hand, patienceMs, undefined);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(hand);
    });
  }

  /** Give a spare, or the word that there is none to wait for, to the first. */
  serve(spare: Sandbox | undefined): void {
    const [first] = this.#waiting;
    first?.(spare);
  }
}
