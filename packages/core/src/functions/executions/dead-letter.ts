import { repeatedStatuses } from '@patchbay/contracts/function-settings';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import type { Changes, Write } from '@patchbay/contracts/storage';
import { deadLetterCreated, executionEnded, type WebhookEvent } from '../../events/webhook-outbox.ts';

/** An execution that has ended, as it is stored: an asynchronous one that did not complete is a dead letter. */
export function endedRow(row: ExecutionRow): ExecutionRow {
  const isDead = row.principal !== null && (repeatedStatuses as readonly string[]).includes(row.status);
  return isDead ? { ...row, deadLetter: 'open' } : row;
}

/** The events of an execution that has ended. */
export function eventsOf(row: ExecutionRow): readonly WebhookEvent[] {
  return row.deadLetter === 'open' ? [executionEnded(row), deadLetterCreated(row)] : [executionEnded(row)];
}

/** Take a dead letter off the list, unless another caller was faster. Nothing for other executions. */
export function settling({ id, revision, deadLetter }: DeadLetter): readonly Write[] {
  if (deadLetter !== 'open') return [];
  const set: Changes<'executions'> = { deadLetter: 'settled' };
  return [{ update: 'executions', id, set, ifRevision: revision }];
}

type DeadLetter = Pick<ExecutionRow, 'id' | 'revision' | 'deadLetter'>;
