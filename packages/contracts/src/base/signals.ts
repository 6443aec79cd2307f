/** A signal that aborts when any of several others aborts. */
export interface JoinedSignals {
  readonly signal: AbortSignal;
  /** Remove the listeners on the others, when the work has ended. Call it in a `finally`. */
  readonly release: () => void;
}

/**
 * Combine signals of which one may live as long as the process: `AbortSignal.any` attaches memory to that one for every
 * signal that it creates, permanently if a listener was not removed.
 *
 * @example
 * ```ts
 * import { joinSignals } from '@patchbay/core/plugin';
 *
 * const stopping = new AbortController();
 *
 * export async function ask(url: string, caller: AbortSignal): Promise<string> {
 *   const { signal, release } = joinSignals(caller, stopping.signal);
 *   try {
 *     return await (await fetch(url, { signal })).text();
 *   } finally {
 *     release();
 *   }
 * }
 * ```
 */
export function joinSignals(...signals: readonly AbortSignal[]): JoinedSignals {
  const controller = new AbortController();
  const release = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  };
  const onAbort = (): void => {
    release();
    controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  };
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  if (signals.some(({ aborted }) => aborted)) onAbort();
  return { signal: controller.signal, release };
}

/** Settles as `work` does, or rejects with the reason of the signal, whichever comes first. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Settles as `work` does, or rejects after `timeoutMs`. The timer keeps the process alive: with one that does not,
 * as in `AbortSignal.timeout`, a plugin that hangs at startup lets the process exit silently.
 */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number, onTimeout?: () => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`no answer within ${timeoutMs} ms`));
    onTimeout?.();
  }, timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Any number of waits, each until a wake-up, an abort or a timeout. */
export class Wakeup {
  readonly #waiting = new Set<() => void>();

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  wake(): void {
    for (const done of this.#waiting) done();
  }

  /** Always resolves, and removes its listeners. */
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
