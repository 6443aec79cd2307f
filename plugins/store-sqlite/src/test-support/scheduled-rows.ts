import type { Rows } from '@patchbay/core/storage';

const time = '2026-01-02T03:04:05.678Z';
const ran = { functionId: 'function_1', createdAt: time, createdBy: 'key_1', principal: { id: 'key_1' }, input: {} };

/** A schedule before its first time. */
export function scheduleRow(id: string): Rows['schedules'] {
  return {
    ...ran,
    id,
    revision: 1,
    name: id,
    cron: null,
    timezone: null,
    every: '1s',
    overlap: 'allow',
    catchUp: 'all',
    state: 'active',
    pausedReason: null,
    nextAt: time,
    lastMissedAt: null,
    lastExecutionId: null,
    updatedAt: time,
    updatedBy: 'key_1',
  };
}

/** The execution for a time of a schedule. */
export function scheduledRow(id: string, scheduleId: string): Rows['executions'] {
  return {
    ...ran,
    id,
    revision: 1,
    functionVersion: 1,
    status: 'queued',
    effectiveInput: null,
    output: null,
    error: null,
    logs: [],
    logsTruncated: false,
    usage: null,
    durationMs: null,
    completedAt: null,
    owner: null,
    attempt: 0,
    parentId: null,
    calls: null,
    trial: null,
    policy: null,
    scheduleId,
    scheduledFor: time,
    after: null,
    deadLetter: null,
  };
}
