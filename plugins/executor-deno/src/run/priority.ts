import { readdirSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

// A short run is in a hurry. One that computes for long is not: where others want its core too, it gets a tenth of it, and
// where these others are other tenants, next to nothing.
const nice = { short: 0, long: 10, last: 19 } as const;

/** How soon a process gets a core that others want too. */
export type Priority = keyof typeof nice;

/** Only root may let somebody go first again. */
export const canReturn = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Let a process go before others, or after them. On Linux only, where threads have priorities of their own.
 *
 * @param leader Leads a session of its own. Linux shares the cores between sessions before it does between the threads of
 * each: what `nice` does to threads alone would then change nothing outside of them.
 * @param member Whose threads it is about, where sessions do not count: in a control group of the CPU.
 */
export function prioritise(leader: number, priority: Priority, member = leader): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync(`/proc/${leader}/autogroup`, `${nice[priority]}`);
  } catch {
    // Gone since, a kernel that knows no sessions, or one that lets nobody but root ask so often.
  }
  // From where the server is itself.
  const own = Math.min(getPriority() + nice[priority], constants.priority.PRIORITY_LOW);
  try {
    for (const thread of readdirSync(`/proc/${member}/task`)) setPriority(Number(thread), own);
  } catch {
    // Gone since, or not ours to tell: it runs as another user, and the server may not decide for others.
  }
}
