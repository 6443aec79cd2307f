import type { ExecutionRow, FeedbackRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { Example } from './dataset-service.ts';

/** Feedback entries about one answer: one for each metric. */
const MOST_METRICS = 100;

/**
 * The executions that feedback is about, each once: with the first entry about it, whichever page that is on. Answers
 * without a stored execution are left out.
 */
export async function scoredExamples(
  storage: Pick<Storage, 'get' | 'list'>,
  tenant: TenantId,
  rows: readonly FeedbackRow[],
): Promise<readonly Example[]> {
  const examples: Example[] = [];
  for (const row of rows) {
    const { target } = row;
    const query = { where: { target }, sort: 'createdAt', order: 'asc', limit: MOST_METRICS } as const;
    const { rows: entries } = await storage.list(tenant, 'feedback', query);
    if (entries[0]?.id !== row.id) continue;
    const execution = await answeredBy(storage, tenant, row);
    if (execution) examples.push(exampleOf(row, entries, execution));
  }
  return examples;
}

async function answeredBy(
  storage: Pick<Storage, 'get'>,
  tenant: TenantId,
  { target, functionId }: FeedbackRow,
): Promise<ExecutionRow | undefined> {
  const isExecution = target.startsWith('execution_');
  const id = isExecution ? target : (await storage.get(tenant, 'callRecords', target))?.executionId;
  const row = id ? await storage.get(tenant, 'executions', id) : undefined;
  // The execution of a call that code made is the one that ran the code.
  return row?.functionId === functionId ? row : undefined;
}

function exampleOf(
  { target, createdAt, createdBy }: FeedbackRow,
  entries: readonly FeedbackRow[],
  { input, output }: ExecutionRow,
): Example {
  const shown = entries.find(({ demonstration }) => demonstration !== null);
  // An execution that failed has no output that a score could be about; the feedback itself remains.
  const scores = output ? Object.fromEntries(entries.map(({ metric, value }) => [metric, value])) : {};
  const expected = shown?.demonstration ?? null;
  return { id: target, input, expected, output, scores, source: 'feedback', createdAt, createdBy };
}
