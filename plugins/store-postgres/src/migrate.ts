import { type MigrationMode, runMigrations, schemaOptions } from '@patchbay/store-typeorm/migrations';
import { DataSource } from 'typeorm';
import { type ConnectOptions, driverOptions } from './connect.ts';

// "patchbay" in the eight bytes that a lock is named by.
const lockKey = '8097881575290724729';

/**
 * Migrate in one transaction: all pending migrations or none, wherever it is cut off. Processes take turns by a lock that
 * belongs to the transaction, and the second finds nothing to do.
 *
 * On a separate connection, without the timeouts of others: an index over millions of rows takes its time.
 */
export async function migrate(options: ConnectOptions, mode: MigrationMode = 'run'): Promise<readonly string[]> {
  const dataSource = new DataSource({
    type: 'postgres',
    poolSize: 1,
    extra: driverOptions(options),
    installExtensions: false,
    ...schemaOptions('postgres'),
  });
  await dataSource.initialize();
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('BEGIN');
    await runner.query('SET LOCAL statement_timeout = 0');
    await runner.query('SET LOCAL lock_timeout = 0');
    await runner.query(`SELECT pg_advisory_xact_lock(${lockKey})`);
    const names = await runMigrations(dataSource, runner, mode);
    await runner.query(mode === 'run' ? 'COMMIT' : 'ROLLBACK');
    return names;
  } catch (error) {
    // The connection may be what failed; the server rolls back then by itself.
    await runner.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}
