/** Aborts after some time, or with another signal. Written out: `AbortSignal.any` keeps its sources on some platforms. */
export interface Timeout {
  readonly signal: AbortSignal;
  /** From now on. */
  restart(): void;
  /** Time that somebody else takes does not count. */
  pause(): void;
  stop(): void;
}

export function startTimeout(milliseconds: number, signal: AbortSignal | undefined): Timeout {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let timer = setTimeout(abort, milliseconds);
  const pause = (): void => clearTimeout(timer);
  // Nothing is left with the caller after the time is up either: a stream that nobody reads is never stopped.
  signal?.addEventListener('abort', abort, { signal: controller.signal });
  return {
    signal: controller.signal,
    pause,
    restart() {
      pause();
      timer = setTimeout(abort, milliseconds);
    },
    stop() {
      pause();
      signal?.removeEventListener('abort', abort);
    },
  };
}
