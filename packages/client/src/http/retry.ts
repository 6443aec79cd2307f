import { APIError } from '../api-error.ts';
import { ConnectionError } from '../errors.ts';
import { startTimeout } from './timeout.ts';

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
