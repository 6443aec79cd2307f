import { execFileSync } from 'node:child_process';

/** Command lines of the Deno processes of a server, alive or left behind, by the folder that they find its socket in. */
export function denoProcesses(data: string): readonly string[] {
  const lines = execFileSync('ps', ['-ww', '-A', '-o', 'args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(`--allow-net=unix:${data}/`));
}
