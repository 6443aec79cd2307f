import { readFileSync } from 'node:fs';

const INTERVAL_MS = 20;

/**
 * Look at the resident memory of a process again and again. Only Linux tells it for the price of reading a file;
 * elsewhere nothing is watched.
 *
 * @returns Stops the watch.
 */
export function watchMemory(pid: number | undefined, limitMb: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    if (residentBytes(pid) <= limitMb * 1024 * 1024) return;
    clearInterval(timer);
    onExceeded();
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Resident bytes of a process on Linux; 0 where it is gone, and elsewhere. */
export function residentBytes(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return 0;
  try {
    const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return 0;
  }
}
