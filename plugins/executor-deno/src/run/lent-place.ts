/**
 * The place of a run that waits for runs of its own. While it waits they may use its place, one at a time: were they to
 * wait for places of others, a server full of runs that call functions would stand still.
 */
export class LentPlace {
  readonly #waiting = new Set<() => void>();
  #taken = false;

  /** Settles when the place is free for this run; `giveBack` has to follow. An aborted signal rejects with its reason. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken = false;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
