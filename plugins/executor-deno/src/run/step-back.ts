import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** As far behind as a process goes that computes for long: it gets a tenth of a core that somebody else wants too. */
const NICE = 10;

/**
 * Let others go first from now on: a run that computes for long is in no hurry, and short ones beside it are. On Linux,
 * where threads have priorities of their own.
 */
export function stepBack(pid: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), NICE);
  } catch {
    // Gone since, or not ours to tell: it runs as another user, and the server may not decide for others.
  }
}
