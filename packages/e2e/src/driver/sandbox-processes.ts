import { execFileSync } from 'node:child_process';

/**
 * Command lines of the processes of a server's sandboxes, alive or left behind, by the folder that they find their
 * socket in: Deno itself, and what stands around it.
 */
export function sandboxProcesses(data: string): readonly string[] {
  const lines = execFileSync('ps', ['-ww', '-A', '-o', 'args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(`${data}/patchbay-`));
}
