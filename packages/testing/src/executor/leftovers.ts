import { readdir, readFile } from 'node:fs/promises';

/** Ids of the processes whose parent is this one; on Linux only, elsewhere none. */
export async function childProcesses(): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const children: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/u.test(name)) continue;
    // "pid (name) state parent": the name may hold anything, a parenthesis included.
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parent) === process.pid && state !== 'Z') children.push(Number(name));
  }
  return children.toSorted((a, b) => a - b);
}
