import type { Clock } from '../contracts/clock.ts';

/** Spreads work over time, so that what is asked for over the API meanwhile does not wait for it. */
export interface Pace {
  /** Resolves when the next piece of work may begin, in the order of the calls; at once where the signal has aborted. */
  next(signal: AbortSignal): Promise<void>;
}

const BURST_MS = 2_000;

/**
 * @param perSecond Pieces of work in a second, as it is now. What was not used is kept for two seconds, so that what comes
 * rarely does not wait.
 */
export function createPace(perSecond: () => number, clock: Pick<Clock, 'monotonic'>): Pace {
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    async next(signal) {
      const now = clock.monotonic();
      nextAt = Math.max(nextAt, now - BURST_MS) + 1_000 / perSecond();
      const waitMs = nextAt - now;
      if (waitMs > 0 && !signal.aborted) await pause(waitMs, signal);
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
