import { availableParallelism } from 'node:os';
import { residentBytes } from '../process-memory.ts';
import { type Ending, failure } from './ending.ts';
import { innermostProcess } from './innermost-process.ts';
import { cpuSeconds } from './process-usage.ts';
import { stepBack } from './step-back.ts';

export interface UsageLimits {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
}

export interface UsageWatch {
  /** Whether the CPU limit may have been reached since somebody last looked. */
  mayHaveUsedCpu(): boolean;
  stop(): void;
}

const INTERVAL_MS = 100;
/** Seconds of CPU from which on a run is a long one. */
const LONG_SECONDS = 0.1;
/** Soon after its start, so is one that computes through so many milliseconds: short runs beside it feel every one. */
const EARLY_MS = 15;
/** The kernel tells CPU in steps of ten milliseconds. */
const EARLY_SECONDS = 0.01;
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
  onExceeded: (ending: Ending) => void,
  before = 0,
): UsageWatch {
  const early = stepBackEarly(pid);
  let seenSeconds = 0;
  let seenAt = performance.now();
  const timer = setInterval(() => {
    const innermost = innermostProcess(pid);
    const seconds = cpuSeconds(innermost);
    // A process that is gone tells nothing, and one around it tells of itself: what was told before counts.
    if (seconds === undefined || seconds - before < seenSeconds) return;
    if (seconds - before >= LONG_SECONDS && seenSeconds < LONG_SECONDS) stepBack(innermost);
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

function stepBackEarly(pid: number): { stop(): void } {
  let timer = setTimeout(() => {
    const innermost = innermostProcess(pid);
    const before = cpuSeconds(innermost);
    timer = setTimeout(() => {
      const seconds = cpuSeconds(innermost);
      if (before !== undefined && seconds !== undefined && seconds - before >= EARLY_SECONDS) stepBack(innermost);
    }, EARLY_MS);
  }, EARLY_MS);
  return { stop: () => clearTimeout(timer) };
}
