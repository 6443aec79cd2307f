import { createHash, randomUUID } from 'node:crypto';
import type { NewJob, TenantId } from '@patchbay/core/plugin';
import type { Statement } from './statement-write.ts';

const MAX_PAYLOAD_CHARACTERS = 65_536;

/** A job as a statement that puts it into the tables of pg-boss. It returns no row where the key of the job is taken. */
export function newJobStatement(schema: string, tenant: TenantId, job: NewJob): Statement {
  const { topic, payload, delayMs = 0, dedupeKey } = job;
  if (!/^[\w.-]{1,100}$/.test(topic)) throw new TypeError('a topic is 1 to 100 letters, digits, ".", "_" or "-"');
  if (!(delayMs >= 0 && delayMs < Number.POSITIVE_INFINITY)) {
    throw new TypeError('delayMs must be finite, and not negative');
  }
  if (dedupeKey !== undefined && (dedupeKey === '' || dedupeKey.length > 255)) {
    throw new TypeError('a dedupeKey has 1 to 255 characters');
  }
  const text = JSON.stringify(payload);
  if (!((text?.length ?? Number.NaN) <= MAX_PAYLOAD_CHARACTERS)) {
    throw new TypeError(`the payload of a job has at most ${MAX_PAYLOAD_CHARACTERS} characters of JSON`);
  }
  const id = randomUUID();
  // Of jobs with one key there is one at a time; a job without a key has its own id.
  const key = dedupeKey === undefined ? id : hash(tenant, dedupeKey);
  return {
    sql: `SELECT ${schema}.patchbay_enqueue_1($1, $2, $3, $4, $5, $6)`,
    parameters: [topic, id, key, tenant, text, delayMs],
  };
}

// Tenants and keys may have characters that the database does not take.
function hash(tenant: TenantId, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([tenant, key]))
    .digest('hex');
}
