import { randomInt } from 'node:crypto';
import { installationTenant } from '@patchbay/core/plugin';
import type { Storage } from '@patchbay/core/storage';
import type { Db } from 'pg-boss';
import { statementCapability, statementWrite } from './statement-write.ts';

/** Two halves of the key of an advisory lock, the second of which nobody else has. */
const LOCK = 7_240_119;

/**
 * Make sure that a statement in a commit of the storage reaches the database of the queue: a lock that is held here has
 * to be seen there.
 *
 * @throws Error that says what the config has to be.
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
