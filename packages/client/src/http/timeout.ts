import { APIError, ConnectionError } from '../errors.ts';

/** Aborts after some time, or with another signal. Written out: `AbortSignal.any` keeps its sources on some platforms. */
export interface Timeout {
  readonly signal: AbortSignal;
  /** From now on. */
  restart(): void;
  /** Time that the consumer takes does not count. */
  pause(): void;
  stop(): void;
}

export function startTimeout(milliseconds: number, signal: AbortSignal | undefined): Timeout {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let timer = setTimeout(abort, milliseconds);
  const pause = (): void => clearTimeout(timer);
  // Nothing is left with the caller after the time is up either: a stream that is not read is never stopped.
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

const firstDelayMs = 500;
const longestDelayMs = 8_000;

/** Milliseconds until it makes sense to try again; infinite where it makes none. */
export function retryDelay(error: unknown, retries: number): number {
  // Spread, so that those who failed together do not come back together.
  const delay = Math.min(firstDelayMs * 2 ** retries, longestDelayMs) * (1 - Math.random() / 4);
  if (error instanceof ConnectionError) return delay;
  return error instanceof APIError && mayPass(error) ? Math.max(delay, (error.retryAfter ?? 0) * 1_000) : Infinity;
}

/** The service says it in `retryable`. For others the status decides. */
function mayPass({ status, problem: { retryable } }: APIError): boolean {
  return retryable ?? /^(408|429|5..)$/.test(`${status}`);
}

/** Ends early where the signal aborts: the attempt that follows throws its reason. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const timeout = startTimeout(milliseconds, signal);
  await new Promise((resolve) => timeout.signal.addEventListener('abort', resolve));
  timeout.stop();
}
