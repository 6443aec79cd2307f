import type { ExecutionRow, ExecutionStatus } from '../../contracts/rows.ts';

const open: ReadonlySet<ExecutionStatus> = new Set(['queued', 'running']);

/** Whether nothing about an execution changes any more. */
export function hasEnded({ status }: Pick<ExecutionRow, 'status'>): boolean {
  return !open.has(status);
}

/** What is written in an execution whose server went away, or stopped before it was through. */
export const interruption = {
  code: 'interrupted',
  message: 'the server stopped before the function finished',
} as const;
