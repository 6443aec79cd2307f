import { APIError, ConnectionError } from '../errors.ts';

/** Aborts after some time, or with another signal. Not `AbortSignal.any`, which retains its sources on some platforms. */
export interface Timeout {
  readonly signal: AbortSignal;
  /** Restart the timer. */
  restart(): void;
  /** Pause the timer while the consumer is busy. */
  pause(): void;
  stop(): void;
}

export function startTimeout(milliseconds: number, signal: AbortSignal | undefined): Timeout {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let timer = setTimeout(abort, milliseconds);
  const pause = (): void => clearTimeout(timer);
  // The listener must not outlive a timeout either: `stop` is never called for a stream that is not read.
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

/** Milliseconds until a retry makes sense; infinite if it does not. */
export function retryDelay(error: unknown, retries: number): number {
  // Jitter, so that clients do not retry simultaneously.
  const delay = Math.min(firstDelayMs * 2 ** retries, longestDelayMs) * (1 - Math.random() / 4);
  if (error instanceof ConnectionError) return delay;
  return error instanceof APIError && mayPass(error) ? Math.max(delay, (error.retryAfter ?? 0) * 1_000) : Infinity;
}

/** By `retryable` of the response, else by its status. */
function mayPass({ status, problem: { retryable } }: APIError): boolean {
  return retryable ?? /^(408|429|5..)$/.test(`${status}`);
}

/** Ends early if the signal aborts: the following attempt throws its reason. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const timeout = startTimeout(milliseconds, signal);
  await new Promise((resolve) => timeout.signal.addEventListener('abort', resolve));
  timeout.stop();
}
