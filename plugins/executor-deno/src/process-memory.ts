import { readFileSync } from 'node:fs';

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
