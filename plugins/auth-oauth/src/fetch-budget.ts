import type { Clock } from '@patchbay/core/plugin';

const REQUESTS = 6;
const WINDOW_MS = 60_000;

/**
 * Tells whether another request may be made, and counts it: six in any minute, wherever that begins. What unknown callers
 * send must not become a flood.
 */
export function createFetchBudget(clock: Clock): () => boolean {
  const times: number[] = [];
  return () => {
    const now = clock.monotonic();
    const [oldest = -Infinity] = times;
    if (times.length === REQUESTS) {
      if (now - oldest < WINDOW_MS) return false;
      times.shift();
    }
    times.push(now);
    return true;
  };
}
