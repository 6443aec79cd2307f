import { setImmediate } from 'node:timers/promises';

/** This many at once take a few milliseconds of CPU time, if each hashes a key and queries a cache. */
const BATCH = 250;

/** The results of `work`, in order. Between batches, other requests have their turn of the event loop. */
export async function mapInTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += BATCH) {
    if (start > 0) await setImmediate();
    results.push(...(await Promise.all(items.slice(start, start + BATCH).map(work))));
  }
  return results;
}
