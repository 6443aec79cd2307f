import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';

/**
 * Run what is pending, on a connection that already holds the lock and the transaction of the caller; the names of
 * what ran.
 *
 * @throws Error if the database was migrated by a newer version, whose rows this one could damage.
 */
export async function runMigrations(dataSource: DataSource, runner: QueryRunner): Promise<readonly string[]> {
  const executor = await knownExecutor(dataSource, runner);
  return (await executor.executePendingMigrations()).map(({ name }) => name);
}

/**
 * Names of what is pending. Makes the table of migrations where it is missing: roll the transaction back.
 *
 * @throws Error if the database was migrated by a newer version.
 */
export async function listPendingMigrations(dataSource: DataSource, runner: QueryRunner): Promise<readonly string[]> {
  const executor = await knownExecutor(dataSource, runner);
  return (await executor.getPendingMigrations()).map(({ name }) => name);
}

async function knownExecutor(dataSource: DataSource, runner: QueryRunner): Promise<MigrationExecutor> {
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'none';
  const known = new Set(dataSource.migrations.map(({ name }) => name));
  const executed = await executor.getExecutedMigrations();
  const unknown = executed.find(({ name }) => !known.has(name));
  if (unknown !== undefined) {
    throw new Error(`the database has the migration ${unknown.name}, so it needs a newer version of this plugin`);
  }
  return executor;
}
