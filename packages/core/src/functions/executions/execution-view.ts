import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { ExecutionRow } from '@patchbay/contracts/rows';

/**
 * An execution as callers see it: the fields of the specification first, then the extensions that have a value.
 *
 * @example
 * ```ts
 * import { executionView } from '@patchbay/core';
 * import type { ExecutionRow } from '@patchbay/core/storage';
 *
 * export const answerOf = (row: ExecutionRow) => JSON.stringify(executionView(row));
 * ```
 */
export function executionView(row: ExecutionRow): JsonObject {
  const view: Record<string, JsonValue> = {
    id: row.id,
    functionId: row.functionId,
    status: row.status,
    input: row.input,
  };
  if (row.output !== null) view['output'] = row.output;
  view['createdAt'] = row.createdAt;
  if (row.completedAt !== null) view['completedAt'] = row.completedAt;
  view['functionVersion'] = row.functionVersion;
  if (row.effectiveInput !== null) view['effectiveInput'] = row.effectiveInput;
  if (row.error !== null) view['error'] = row.error;
  if (row.parentId !== null) view['parentId'] = row.parentId;
  if (row.calls !== null) view['calls'] = row.calls;
  if (row.policy !== null) view['policy'] = { ...row.policy } as JsonObject;
  if (row.scheduleId !== null) view['scheduleId'] = row.scheduleId;
  if (row.scheduledFor !== null) view['scheduledFor'] = row.scheduledFor;
  if (row.deadLetter !== null) view['deadLetter'] = row.deadLetter;
  if (row.trial !== null) view['trial'] = { ...row.trial };
  if (row.attempt !== null && row.attempt > 1) view['attempt'] = row.attempt;
  view['logs'] = row.logs;
  if (row.logsTruncated) view['logsTruncated'] = true;
  if (row.durationMs !== null) view['durationMs'] = row.durationMs;
  if (row.usage !== null) view['usage'] = row.usage;
  return view;
}

/**
 * An unstored run of an unstored function, without ids.
 *
 * @example
 * ```ts
 * import { testView } from '@patchbay/core';
 * import type { ExecutionRow } from '@patchbay/core/storage';
 *
 * export const answerOf = (row: ExecutionRow) => JSON.stringify(testView(row));
 * ```
 */
export function testView(row: ExecutionRow): JsonObject {
  const { id: _id, functionId: _functionId, functionVersion: _version, ...view } = executionView(row);
  return view;
}
