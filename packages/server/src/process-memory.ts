import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Where V8 allocates. With half of it, a hundred requests in progress span several collections, each of which copies them. On a machine
 * with much memory V8 would take twice as much.
 */
const YOUNG_BYTES = 64 * 1_048_576;

/**
 * By how much the rest may grow between two full collections, which read all of it. V8 would let it become several times as
 * large.
 */
const GROWING_PERCENT = 80;

/**
 * Keep the heap small under load, and its collections short. V8 sizes it by the memory of the machine, which others may need: with a
 * hundred requests in progress, most of what the process would take is garbage that has not been collected yet.
 *
 * Where most objects survived for a while, V8 allocates later ones in the old generation at once (pretenuring). For an object of a
 * request, that keeps everything it refers to until the next full collection, so it is switched off.
 *
 * The size of the young generation can be given on the command line only, where a server does not get to say anything.
 * Only the growth can be changed later, so it is stopped, after a collection, once the heap is large enough.
 */
export function boundHeap(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
  let factor = 2;
  new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    // When idle, V8 makes it smaller again; then it must be able to grow once more.
    const wanted = (young?.space_size ?? 0) < YOUNG_BYTES ? 2 : 1;
    if (wanted === factor) return;
    factor = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  }).observe({ entryTypes: ['gc'] });
}

/**
 * Collect what the start has left: some 40 MB of sources, syntax trees and closures that are not needed again. A server
 * without requests would keep them forever, because V8 collects only when something is allocated. Nothing else runs for
 * some 50 ms, so this is for a moment after the start.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  // The flavor makes V8 give the pages back at once; where it is not known it is ignored.
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
  setFlagsFromString('--no-expose-gc');
}

/** Late enough not to delay the first responses, and to cost a process that runs only for seconds nothing. */
const RELEASE_AFTER_MS = 10_000;

/** Share of the time in which an idle server does something. */
const IDLE_BELOW = 0.1;

/**
 * Release it, unless the server is busy by then. While it is, V8 collects by itself; and compiled code goes as well, which a busy server
 * would have to compile again, at twice the CPU for some seconds.
 */
export function releaseUnlessBusy(): void {
  const before = performance.eventLoopUtilization();
  const release = (): void => {
    if (performance.eventLoopUtilization(before).utilization < IDLE_BELOW) releaseStartMemory();
  };
  setTimeout(release, RELEASE_AFTER_MS).unref();
}
