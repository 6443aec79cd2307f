import { createHash } from 'node:crypto';
import { newId } from '@patchbay/contracts/base/type-id';
import type { DeadJob, NewJob } from '@patchbay/contracts/queue';
import type { JobRow } from '@patchbay/contracts/rows';
import type { TenantId } from '@patchbay/contracts/tenant';

/** The time as rows keep it. */
export function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function newJobRow(tenant: TenantId, job: NewJob, now: number): JobRow {
  const { topic, payload, delayMs = 0, dedupeKey } = job;
  return {
    id: dedupeKey === undefined ? newId('job') : dedupedId(tenant, topic, dedupeKey),
    revision: 1,
    topic,
    state: 'waiting',
    dueAt: timeOf(now + delayMs),
    attempt: 0,
    dedupeKey: dedupeKey ?? null,
    createdAt: timeOf(now),
    payload,
    error: null,
  };
}

// Two jobs with one key are one row, so the store itself ensures that there is no second one.
export function dedupedId(tenant: TenantId, topic: string, key: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([tenant, topic, key]))
    .digest('hex');
  return `job_${hash.slice(0, 40)}`;
}

export function deadJob(tenant: TenantId, row: JobRow): DeadJob {
  const { id, topic, payload, attempt, error, createdAt, dueAt } = row;
  return { id, topic, tenant, payload, attempts: attempt, error: error ?? {}, createdAt, diedAt: dueAt };
}
