import { execFileSync } from 'node:child_process';

/**
 * Command lines of the processes of a server's sandboxes, alive or left behind, by the folder that they find their
 * socket in: Deno itself, and what stands around it.
 */
export function sandboxProcesses(data: string): readonly string[] {
  return list(data, 'args=');
}

/** The IDs of the same processes. */
export function sandboxProcessIds(data: string): readonly number[] {
  return list(data, 'pid=,args=').map((line) => Number.parseInt(line, 10));
}

function list(data: string, columns: string): readonly string[] {
  const lines = execFileSync('ps', ['-ww', '-A', '-o', columns], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(`${data}/patchbay-`));
}
