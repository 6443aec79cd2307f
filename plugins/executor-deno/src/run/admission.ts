import { PatchbayError } from '@patchbay/core/plugin';

interface Waiting {
  admit(): void;
  refuse(error: PatchbayError): void;
}

export interface AdmissionOptions {
  readonly maxConcurrent: number;
  /** Milliseconds that a run waits for its turn at most. */
  readonly queueTimeoutMs: number;
}

/** Lets so many run at once; the others wait in line, for a bounded time. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #waiting = new Set<Waiting>();
  #running = 0;
  #closed = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Settles when it is this run's turn; `leave` has to follow. An aborted signal rejects with its reason.
   *
   * @throws PatchbayError `overloaded`, `shutting_down`.
   */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed) throw shuttingDown();
    if (!this.tryEnter()) await this.#waitForTurn(signal);
  }

  /** Take a place, if there is one that nobody waits for. */
  tryEnter(): boolean {
    if (this.#closed || this.#running >= this.#options.maxConcurrent) return false;
    this.#running++;
    return true;
  }

  /** Hand the place to the one who waits longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#running--;
    else next.admit();
  }

  /** Refuse everybody who waits and who comes. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.refuse(shuttingDown());
  }

  #waitForTurn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#waiting.delete(waiting);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        admit() {
          settle();
          resolve();
        },
        refuse(error) {
          settle();
          reject(error);
        },
      };
      const onAbort = (): void => {
        settle();
        reject(signal.reason);
      };
      const timer = setTimeout(
        () => waiting.refuse(new PatchbayError('overloaded', 'Too many functions are running', { retryAfter: 1 })),
        this.#options.queueTimeoutMs,
      );
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiting);
    });
  }
}

const shuttingDown = (): PatchbayError =>
  new PatchbayError('shutting_down', 'The executor is shutting down', { retryAfter: 1 });
