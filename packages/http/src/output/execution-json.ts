import type { ExecutionRow } from '@patchbay/core/plugin';

/** A list entry: without documents and logs, which can have a MiB each. */
export function executionSummaryJson(row: ExecutionRow) {
  return {
    id: row.id,
    functionId: row.functionId,
    status: row.status,
    createdAt: row.createdAt,
    completedAt: row.completedAt ?? undefined,
    functionVersion: row.functionVersion,
    durationMs: row.durationMs ?? undefined,
  };
}
