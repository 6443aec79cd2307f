/** Moments at which everybody who waits goes on together. */
export interface SharedMoments {
  next(): Promise<void>;
}

/**
 * What is committed in the same moment shares a flush to disk. A storage in this process may do nothing else while it
 * flushes, and a server that flushed for every delivery would keep its callers waiting.
 *
 * @param everyMs Milliseconds between two moments, counted from the first who waits.
 */
export function createSharedMoments(everyMs: number): SharedMoments {
  let coming: Promise<void> | undefined;
  return {
    next() {
      coming ??= new Promise((resolve) => {
        setTimeout(() => {
          coming = undefined;
          resolve();
        }, everyMs);
      });
      return coming;
    },
  };
}
