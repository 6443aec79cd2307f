import { readFileSync } from 'node:fs';

/** How long the programs around a process may take to see that it is gone. */
const WRAPPER_MS = 100;

/** A process of ours that nobody has waited for yet, and that leads a group of its own. */
export interface Target {
  readonly pid: number;
  readonly isWrapped: boolean;
  /** Once it was waited for, its id may belong to another process. */
  readonly isAlive: () => boolean;
}

/**
 * SIGKILL to a process and whatever belongs to it: code can catch every other signal.
 *
 * From the inside out, so that each is waited for by the one that started it. With the outermost first, the others
 * would be left to the system's first process, and that one reaps nobody in many a container. Worse: a process that
 * has left the group, and has not yet asked to die with its parent, would live on.
 */
export function killProcess({ pid, isWrapped, isAlive }: Target): void {
  if (!isAlive()) return;
  if (process.platform === 'win32') {
    send(pid);
    return;
  }
  const killGroup = (): void => {
    if (isAlive()) send(-pid);
  };
  const inner = isWrapped ? childrenOf(pid) : [];
  for (const each of inner) send(each);
  if (inner.length === 0) killGroup();
  else setTimeout(killGroup, WRAPPER_MS).unref();
}

function send(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone since.
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}
