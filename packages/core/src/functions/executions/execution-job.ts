import type { Job, NewJob } from '../../contracts/queue.ts';

/** Jobs with this topic run executions. */
export const executionTopic = 'executions';

/** Says that there may be an execution to run. What is to be done stands in the row, so two of these do no harm. */
export function executionJob(executionId: string): NewJob {
  return { topic: executionTopic, payload: { executionId } };
}

export function executionIdOf({ payload }: Job): string {
  return String((payload as { executionId?: unknown } | null)?.executionId);
}
