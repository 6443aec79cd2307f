import { readFileSync } from 'node:fs';
import { residentBytes } from '../process-memory.ts';

/** What a process has taken so far. */
export interface Usage {
  /** Of all its threads, since it started. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

// The unit of /proc is the same on every Linux that Deno runs on.
const TICKS_PER_SECOND = 100;

/** Undefined where the process is gone, and outside of Linux. */
export function readUsage(pid: number): Usage | undefined {
  const seconds = cpuSeconds(pid);
  return seconds === undefined ? undefined : { cpuSeconds: seconds, residentBytes: residentBytes(pid) };
}

export function cpuSeconds(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // "pid (name) state ...": the name may hold anything, a parenthesis included.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
