import { type ExecutionRow, isEndedStatus } from '../../contracts/rows.ts';

/** Whether nothing about an execution changes any more. */
export function hasEnded({ status }: Pick<ExecutionRow, 'status'>): boolean {
  return isEndedStatus(status);
}

/** What is written in an execution whose server went away, or stopped before it was through. */
export const interruption = {
  code: 'interrupted',
  message: 'the server stopped before the function finished',
} as const;
