import type { ExecutionSummary } from '../service-types.ts';

/** A list entry. */
export function executionSummaryJson(row: ExecutionSummary) {
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
