/** Lets any number of waits go on at once, each until it is woken, aborted or has waited long enough. */
export class Wakeup {
  readonly #waiting = new Set<() => void>();

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  wake(): void {
    for (const done of this.#waiting) done();
  }

  /** Resolves in any case, and leaves nothing behind. */
  wait(signal: AbortSignal, ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      this.#waiting.add(done);
    });
  }
}
