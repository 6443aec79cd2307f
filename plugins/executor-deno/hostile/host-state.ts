import { readdirSync, readFileSync } from 'node:fs';

/** Traces that an executor must not leave in its host, on Linux. */
export interface HostState {
  readonly openFiles: number;
  readonly processes: readonly number[];
}

/** @param marker A text that stands in the command line of every process of the executor, such as its folder. */
export const hostState = (marker: string): HostState => ({
  openFiles: readdirSync('/proc/self/fd').length,
  processes: readdirSync('/proc').flatMap((name) => {
    const isOwn = /^\d+$/u.test(name) && (descends(name) || commandLine(name).includes(marker));
    return isOwn ? [Number(name)] : [];
  }),
});

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};
const commandLine = (pid: string): string => read(`/proc/${pid}/cmdline`);

function descends(pid: string): boolean {
  const stat = read(`/proc/${pid}/stat`);
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
  return parent === process.pid || (parent > 1 && descends(`${parent}`));
}
