import { APIError } from '../api-error.ts';
import { ConnectionError } from '../errors.ts';
import { startTimeout } from './timeout.ts';

const firstDelayMs = 500;
const longestDelayMs = 8_000;
/** Whoever is told to wait for longer than this is told so, instead of waiting. */
const longestWaitMs = 60_000;

/** Milliseconds until it makes sense to try again; undefined where it makes none. */
export function retryDelay(error: unknown, retries: number): number | undefined {
  // Spread, so that those who failed together do not come back together.
  const delay = Math.min(firstDelayMs * 2 ** retries, longestDelayMs) * (1 - Math.random() / 4);
  if (error instanceof ConnectionError) return delay;
  if (!(error instanceof APIError && mayPass(error))) return undefined;
  const wait = (error.retryAfter ?? 0) * 1_000;
  return wait > longestWaitMs ? undefined : Math.max(delay, wait);
}

/** The service says it in `retryable`. For others the status decides. */
function mayPass({ status, problem: { retryable } }: APIError): boolean {
  return retryable ?? (status === 408 || status === 429 || status >= 500);
}

/** @throws the reason of the signal. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const timeout = startTimeout(milliseconds, signal);
  await new Promise((resolve) => timeout.signal.addEventListener('abort', resolve));
  timeout.stop();
  signal?.throwIfAborted();
}
