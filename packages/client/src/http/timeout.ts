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
  const stop = (): void => {
    pause();
    signal?.removeEventListener('abort', abort);
  };
  const abort = (): void => {
    // Nobody may be left to do it: a stream that is not read to its end, or not at all.
    stop();
    controller.abort();
  };
  let timer = setTimeout(abort, milliseconds);
  const pause = (): void => clearTimeout(timer);
  signal?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    pause,
    stop,
    restart() {
      pause();
      timer = setTimeout(abort, milliseconds);
    },
  };
}
