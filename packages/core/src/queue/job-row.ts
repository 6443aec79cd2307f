import { createHash } from 'node:crypto';
import { newId } from '../base/type-id.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { DeadJob, NewJob } from '../contracts/queue.ts';
import type { JobRow } from '../contracts/rows.ts';
import type { TenantId } from '../contracts/tenant.ts';

const MAX_PAYLOAD_CHARACTERS = 65_536;
const MAX_ERROR_CHARACTERS = 500;

/** The time as rows keep it. */
export function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** @throws TypeError for a job that is not one: a fault of the calling code. */
export function newJobRow(tenant: TenantId, job: NewJob, now: number): JobRow {
  const { topic, payload, delayMs = 0, dedupeKey } = job;
  if (!/^[\w.-]{1,100}$/.test(topic)) throw new TypeError('a topic is 1 to 100 letters, digits, ".", "_" or "-"');
  if (!(delayMs >= 0 && delayMs < Number.POSITIVE_INFINITY)) {
    throw new TypeError('delayMs must be finite, and not negative');
  }
  if (dedupeKey !== undefined && (dedupeKey === '' || dedupeKey.length > 255)) {
    throw new TypeError('a dedupeKey has 1 to 255 characters');
  }
  if ((JSON.stringify(payload)?.length ?? Number.NaN) <= MAX_PAYLOAD_CHARACTERS) {
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
  throw new TypeError(`the payload of a job has at most ${MAX_PAYLOAD_CHARACTERS} characters of JSON`);
}

// Two jobs with one key are one row, so the store itself sees to it that there is no second one.
export function dedupedId(tenant: TenantId, topic: string, key: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([tenant, topic, key]))
    .digest('hex');
  return `job_${hash.slice(0, 40)}`;
}

/** A failure as the row of a job keeps it, for operators. */
export function jobError(error: unknown): JsonObject {
  const text = error instanceof Error ? error.message : String(error);
  const message = text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed().replaceAll('\0', '');
  return PatchbayError.is(error) ? { code: error.code, message } : { message };
}

export function deadJob(tenant: TenantId, row: JobRow): DeadJob {
  const { id, topic, payload, attempt, error, createdAt, dueAt } = row;
  return { id, topic, tenant, payload, attempts: attempt, error: error ?? {}, createdAt, diedAt: dueAt };
}
