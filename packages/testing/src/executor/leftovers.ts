import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the processes whose parent is this one; on Linux only, elsewhere none. */
export function childProcesses(): readonly number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  return pids
    .filter(isChild)
    .map(Number)
    .toSorted((a, b) => a - b);
}

function isChild(pid: string): boolean {
  try {
    // "pid (name) state parent": the name may contain any character, such as a parenthesis.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(parent) === process.pid && state !== 'Z';
  } catch {
    // It has ended.
    return false;
  }
}
