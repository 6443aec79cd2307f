import { readFileSync } from 'node:fs';

/** The process that others only stand around: a child's only child, and so on. On Linux; elsewhere the process itself. */
export function innermostProcess(pid: number): number {
  for (let current = pid, depth = 0; ; depth++) {
    const child = onlyChild(current);
    if (child === undefined || depth === 8) return current;
    current = child;
  }
}

function onlyChild(pid: number): number | undefined {
  try {
    const [child, ...others] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');
    return child === undefined || child === '' || others.length > 0 ? undefined : Number(child);
  } catch {
    return undefined;
  }
}
