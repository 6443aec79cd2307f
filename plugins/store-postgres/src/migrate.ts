import { listPendingMigrations, runMigrations, schemaOptions } from '@patchbay/store-typeorm';
import { DataSource, type QueryRunner } from 'typeorm';
import { type ConnectOptions, driverOptions } from './connect.ts';

// "patchbay" in the eight bytes that a lock is named by.
const lockKey = '8097881575290724729';

/**
 * Bring the schema up to date in one transaction: all pending migrations or none, wherever it is cut off. Processes take
 * turns by a lock that belongs to the transaction, and the second finds nothing to do.
 *
 * On a separate connection, without the timeouts of others: an index over millions of rows takes its time.
 */
export async function migrate(options: ConnectOptions): Promise<readonly string[]> {
  return await inTransaction(options, 'COMMIT', runMigrations);
}

/** Names of what `migrate` would run. The database stays as it is. */
export async function pendingMigrations(options: ConnectOptions): Promise<readonly string[]> {
  return await inTransaction(options, 'ROLLBACK', listPendingMigrations);
}

async function inTransaction(
  options: ConnectOptions,
  end: 'COMMIT' | 'ROLLBACK',
  work: typeof runMigrations,
): Promise<readonly string[]> {
  const dataSource = new DataSource({
    type: 'postgres',
    poolSize: 1,
    extra: driverOptions(options),
    installExtensions: false,
    ...schemaOptions('postgres'),
  });
  await dataSource.initialize();
  try {
    const runner = dataSource.createQueryRunner();
    try {
      return await underLock(runner, end, () => work(dataSource, runner));
    } finally {
      await runner.release();
    }
  } finally {
    await dataSource.destroy();
  }
}

async function underLock<R>(runner: QueryRunner, end: 'COMMIT' | 'ROLLBACK', body: () => Promise<R>): Promise<R> {
  await runner.query('BEGIN');
  try {
    await runner.query('SET LOCAL statement_timeout = 0');
    await runner.query('SET LOCAL lock_timeout = 0');
    await runner.query(`SELECT pg_advisory_xact_lock(${lockKey})`);
    const result = await body();
    await runner.query(end);
    return result;
  } catch (error) {
    // The connection may be what failed; the server rolls back then by itself.
    await runner.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
