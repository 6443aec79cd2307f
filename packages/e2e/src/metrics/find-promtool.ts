import { execFileSync } from 'node:child_process';

/** `promtool`, where this machine has it: the Debian package `prometheus`. */
export function findPromtool(): string | undefined {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return 'promtool';
  } catch {
    return undefined;
  }
}
