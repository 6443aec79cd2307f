import type { Clock } from '@patchbay/core/plugin';

/** At most this many requests to an issuer at once, and one more every `INTERVAL_MS`: 6 a minute. */
const BURST = 6;
const INTERVAL_MS = 10_000;

/** Tells whether another request may be made, and counts it. What unknown callers send must not become a flood. */
export function createFetchBudget(clock: Clock): () => boolean {
  let left = BURST;
  let since = clock.monotonic();
  return () => {
    const earned = Math.floor((clock.monotonic() - since) / INTERVAL_MS);
    if (earned > 0) {
      left = Math.min(BURST, left + earned);
      since += earned * INTERVAL_MS;
    }
    if (left === 0) return false;
    left -= 1;
    return true;
  };
}
