import type { Action } from '../cli-context.ts';
import { printRows } from '../output.ts';
import { ask, clientOf, deleteConfirmed, listAll, type RemoteOptions } from '../remote.ts';
import { findStored } from './stored-functions.ts';

interface Failure {
  readonly code?: string;
  readonly message?: string;
}

interface DeadLetter {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly completedAt: string;
  readonly error: Failure;
}

interface Rerun {
  readonly id: string;
  readonly executionId?: string;
  readonly error?: Failure;
}

interface RerunPage {
  readonly data: readonly Rerun[];
  readonly meta: { readonly nextCursor?: string };
}

const failureOf = ({ code, message }: Failure): string => `${code}: ${message?.split('\n')[0]}`;

export const list: Action<RemoteOptions, [given?: string]> = async (context, options, given) => {
  const client = clientOf(options, context);
  const functionId = given === undefined ? undefined : await findStored(client, given, context.signal);
  const path =
    functionId === undefined ? '/dead-letters' : `/dead-letters?functionId=${encodeURIComponent(functionId)}`;
  const all: DeadLetter[] = [];
  for await (const each of listAll<DeadLetter>(client, path, context.signal)) all.push(each);
  printRows(context.output, options, all, ({ id, status, attempts, completedAt, error }) => [
    id,
    status,
    `${attempts} runs`,
    completedAt,
    failureOf(error),
  ]);
};

/** Run one again, or page by page those of a function. */
export const rerun: Action<RemoteOptions, [target: string]> = async (context, options, target) => {
  const rows: Rerun[] = [];
  if (target.startsWith('execution_')) {
    const path = `/executions/${encodeURIComponent(target)}/rerun`;
    const { id } = await ask<{ readonly id: string }>(context, options, { method: 'POST', path });
    rows.push({ id: target, executionId: id });
  } else {
    const id = await findStored(clientOf(options, context), target, context.signal);
    const path = `/functions/${encodeURIComponent(id)}/dead-letters/rerun?limit=100`;
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const next: string = cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
      const page: RerunPage = await ask<RerunPage>(context, options, { method: 'POST', path: next });
      rows.push(...page.data);
      cursor = page.meta.nextCursor;
    }
  }
  printRows(context.output, options, rows, ({ id, executionId, error }) => [
    id,
    executionId === undefined ? failureOf(error ?? {}) : `queued as ${executionId}`,
  ]);
};

export const remove: Action<RemoteOptions & { readonly yes?: boolean }, [execution: string]> = async (
  context,
  options,
  execution,
) => {
  const path = `/dead-letters/${encodeURIComponent(execution)}`;
  const question = `Remove the dead letter ${execution}?`;
  return await deleteConfirmed(context, options, { path, question, deleted: { id: execution } });
};
