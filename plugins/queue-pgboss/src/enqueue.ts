import { createHash, randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { installationTenant, type NewJob, type TenantId } from '@patchbay/core/plugin';
import type { Storage, Write } from '@patchbay/core/storage';
import type { Db } from 'pg-boss';

/** Capability of a storage whose commits run statements of PostgreSQL. */
const statementCapability = 'postgres-statement';

/** A statement of constant text. It must change, or return, a row. */
interface Statement {
  readonly sql: string;
  readonly parameters: readonly (string | number | boolean | null)[];
}

/** Puts a statement into a commit of the storage. */
export function statementWrite(content: Statement): Write {
  return { capability: statementCapability, content };
}

/** A job as a statement that puts it into the tables of pg-boss. It returns no row where the key of the job is taken. */
export function newJobStatement(schema: string, tenant: TenantId, job: NewJob): Statement {
  const { topic, payload, delayMs = 0, dedupeKey } = job;
  const text = JSON.stringify(payload);
  const id = randomUUID();
  // There is one job with each key at a time; a job without a key uses its own id.
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

/** The channel that notifies consumers of all processes of new jobs; the payload is the topic. */
export function channelOf(schema: string): string {
  return `patchbay_${schema}`;
}

/** The text of a file of statements, for a schema of pg-boss that was checked to be a plain name. */
export function statementsOf(file: 'claim.sql' | 'enqueue.sql', schema: string): string {
  return readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8').replaceAll('{{schema}}', schema);
}

/** Make the function that enqueues, once among all servers. */
export async function createEnqueueFunction(database: Db, schema: string, keepSeconds: number): Promise<void> {
  await database.executeSql(statementsOf('enqueue.sql', schema).replaceAll('{{keepSeconds}}', `${keepSeconds}`));
}

/** First half of the key of an advisory lock; the second half is random. */
const LOCK = 7_240_119;

/**
 * Make sure that a statement in a commit of the storage reaches the database of the queue: a lock that is held here
 * must be visible there.
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
