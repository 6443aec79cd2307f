import { residentBytes } from './process-memory.ts';
import { cpuSeconds } from './run/process-usage.ts';

const INTERVAL_MS = 20;

export interface ProcessLimits {
  readonly memoryMb: number;
  /** Milliseconds of CPU from now on. */
  readonly cpuMs: number;
}

/**
 * Look at what a process takes again and again. Only Linux tells it for the price of reading a file; elsewhere nothing is
 * watched.
 *
 * @returns Stops the watch.
 */
export function watchProcess(
  pid: number | undefined,
  { memoryMb, cpuMs }: ProcessLimits,
  { onMemory, onCpu }: { readonly onMemory: () => void; readonly onCpu: () => void },
): () => void {
  if (pid === undefined || process.platform !== 'linux') return () => {};
  const usedMs = (): number => (cpuSeconds(pid) ?? 0) * 1000;
  const before = usedMs();
  const timer = setInterval(() => {
    const isOverMemory = residentBytes(pid) > memoryMb * 1024 * 1024;
    if (!isOverMemory && usedMs() - before <= cpuMs) return;
    clearInterval(timer);
    if (isOverMemory) onMemory();
    else onCpu();
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}
