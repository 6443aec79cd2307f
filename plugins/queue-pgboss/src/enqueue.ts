import { createHash, randomInt, randomUUID } from 'node:crypto';
import { installationTenant, type NewJob, type TenantId } from '@patchbay/core/plugin';
import type { Storage, Write } from '@patchbay/core/storage';
import type { Db } from 'pg-boss';
import { claimIndexStatement } from './job-table.ts';

/** Capability of a storage whose commits run statements of PostgreSQL. */
const statementCapability = 'postgres-statement';

/** A statement of constant text. It has to change, or return, a row. */
interface Statement {
  readonly sql: string;
  readonly parameters: readonly (string | number | boolean | null)[];
}

/** Puts a statement into a commit of the storage. */
export function statementWrite(content: Statement): Write {
  return { capability: statementCapability, content };
}

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

/** Where consumers of all processes hear of new jobs; the payload is the topic. */
export function channelOf(schema: string): string {
  return `patchbay_${schema}`;
}

/**
 * Make the function that enqueues: one statement, so that a storage can run it in its own transaction. It makes
 * the queue of a topic that pg-boss does not know yet, and tells consumers once the transaction has committed.
 *
 * `exclusive` keeps out a second job with the key while the first waits or is worked on. A job waits for ever, is
 * retried for ever, and takes as long as it does: all that is for its consumer to say.
 */
export async function createEnqueueFunction(database: Db, schema: string, keepSeconds: number): Promise<void> {
  await database.executeSql(`
    BEGIN;
    SELECT pg_advisory_xact_lock(7240118);
    CREATE OR REPLACE FUNCTION ${schema}.patchbay_enqueue_1(
      topic text, job_id uuid, job_key text, tenant text, payload text, delay_ms float8
    ) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM ${schema}.queue q WHERE q.name = topic) THEN
        PERFORM ${schema}.create_queue(topic, jsonb_build_object(
          'policy', 'exclusive', 'deleteAfterSeconds', ${keepSeconds}, 'heartbeatSeconds', 30
        ));
      END IF;
      RETURN QUERY INSERT INTO ${schema}.job (
          id, name, data, singleton_key, policy, start_after, created_on, keep_until,
          retry_limit, expire_seconds, deletion_seconds, heartbeat_seconds
        )
        SELECT job_id, topic, jsonb_build_object('tenant', tenant, 'payload', payload), job_key, q.policy,
          ${schema}.job_now() + delay_ms * interval '1ms', ${schema}.job_now(), 'infinity',
          2147483647, 2147483647, q.deletion_seconds, q.heartbeat_seconds
        FROM ${schema}.queue q WHERE q.name = topic
        ON CONFLICT DO NOTHING
        RETURNING job.id;
      IF FOUND AND delay_ms = 0 THEN PERFORM pg_notify('${channelOf(schema)}', topic); END IF;
    END $$;
    ${claimIndexStatement(schema)};
    COMMIT;
  `);
}

/** First half of the key of an advisory lock; the second half is random. */
const LOCK = 7_240_119;

/**
 * Make sure that a statement in a commit of the storage reaches the database of the queue: a lock that is held here has
 * to be seen there.
 *
 * @throws Error that says what the config must be.
 */
export async function requireSameDatabase(database: Db, storage: Storage): Promise<void> {
  if (!storage.capabilities?.includes(statementCapability)) {
    throw new Error('queue-pgboss enqueues in the transactions of the storage: it needs @patchbay/store-postgres');
  }
  const transaction = await database.beginTransaction?.();
  if (transaction === undefined) throw new Error('this version of pg-boss begins no transactions');
  try {
    const token = randomInt(2 ** 31 - 1);
    await transaction.db.executeSql('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, token]);
    const sql = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid = $2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    const seen = await storage.commit(installationTenant, [statementWrite({ sql, parameters: [LOCK, token] })]);
    if (!seen.done) throw new Error('queue-pgboss needs the database of the storage, and its url leads to another one');
  } finally {
    await transaction.rollback();
  }
}
