import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { residentBytes } from '../process-memory.ts';
import { innermostProcess } from '../system-process.ts';
import { cpuSeconds } from './process-usage.ts';
import { type Ending, failure } from './run-outcome.ts';

export interface UsageLimits {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
}

export interface UsageListeners {
  readonly onExceeded: (ending: Ending) => void;
  /** It computes through: short runs beside it feel every millisecond. May be called twice. */
  readonly onBusy: () => void;
  /** It has computed for so long that its next run is likely to do so too. */
  readonly onLong: () => void;
}

export interface UsageWatch {
  /** Whether the CPU limit may have been reached since somebody last looked. */
  mayHaveUsedCpu(): boolean;
  stop(): void;
}

const INTERVAL_MS = 100;
/** Seconds of CPU from which on a run is a long one. */
const LONG_SECONDS = 0.1;
/** How often to look in the first tenth of a second, and how much of that time a run is busy that computes through. */
const EARLY_MS = 8;
const EARLY_LOOKS = 10;
const BUSY_MS = 10;
// For its limit the kernel counts by the ticks of its clock, and on a busy machine comes to a quarter more than it tells
// in /proc. Whoever was killed by nobody here, with half of the limit used, was killed for that.
const KILLED_FROM = 0.5;

export const cpuLimit = (seconds: number): Ending =>
  failure('cpu_limit', `The function used more than ${seconds} s of CPU time`);
export const memoryLimit = (): Ending => failure('memory_limit', 'The function used more memory than it may');

/**
 * Look at what a process of Linux takes, ten times a second, beside what the kernel does about it.
 *
 * @param before Seconds of CPU that earlier runs took.
 */
export function watchUsage(
  pid: number,
  limits: UsageLimits,
  { onBusy, onExceeded, onLong }: UsageListeners,
  before = 0,
): UsageWatch {
  const early = watchEarly(pid, onBusy);
  let seenSeconds = 0;
  let seenAt = performance.now();
  const timer = setInterval(() => {
    const innermost = innermostProcess(pid);
    const seconds = cpuSeconds(innermost);
    // A process that is gone tells nothing, and one around it tells of itself: what was told before counts.
    if (seconds === undefined || seconds - before < seenSeconds) return;
    if (seconds - before >= LONG_SECONDS && seenSeconds < LONG_SECONDS) {
      onBusy();
      onLong();
    }
    seenSeconds = seconds - before;
    seenAt = performance.now();
    if (seenSeconds >= limits.cpuSeconds) onExceeded(cpuLimit(limits.cpuSeconds));
    else if (residentBytes(innermost) > limits.residentBytes) onExceeded(memoryLimit());
  }, INTERVAL_MS);
  return {
    mayHaveUsedCpu() {
      const sinceSeconds = (performance.now() - seenAt) / 1000;
      return seenSeconds + sinceSeconds * availableParallelism() >= limits.cpuSeconds * KILLED_FROM;
    },
    stop() {
      early.stop();
      clearInterval(timer);
    },
  };
}

function watchEarly(pid: number, onBusy: () => void): { stop(): void } {
  let innermost: number | undefined;
  let before: number | undefined;
  let looks = 0;
  const timer = setInterval(() => {
    innermost ??= innermostProcess(pid);
    const ms = computedMs(innermost);
    before ??= ms;
    const isBusy = ms !== undefined && before !== undefined && ms - before >= BUSY_MS;
    if (isBusy) onBusy();
    if (isBusy || ++looks === EARLY_LOOKS) clearInterval(timer);
  }, EARLY_MS);
  return { stop: () => clearInterval(timer) };
}

/** Of the thread that runs the code; to the nanosecond, where the whole process is told in steps of 10 ms. */
function computedMs(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}
