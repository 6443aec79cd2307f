import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import released from './released.json' with { type: 'json' };
import { migrationOf, type RowChange, type SchemaChange } from './schema-changes.ts';

const rowChanges: Readonly<Record<string, RowChange>> = {
  FunctionSettings1795300000000: { up: fillKeys },
  ExecutionCounts1795330000000: {
    async up(runner) {
      await runner.query(
        'INSERT INTO "counts" ("tenant", "collection", "field", "value", "total") ' +
          `SELECT "tenant", 'executions', 'status', "status", COUNT(*) FROM "executions" GROUP BY "status", "tenant"`,
      );
    },
    async down(runner) {
      await runner.query(`DELETE FROM "counts" WHERE "collection" = 'executions' AND "field" = 'status'`);
    },
  },
};

/** Every migration, oldest first. A migration that was released is never changed. */
export const migrations = Object.entries(released as Readonly<Record<string, SchemaChange>>).map(([name, change]) =>
  migrationOf(name, change, rowChanges[name]),
);

async function fillKeys(runner: QueryRunner): Promise<void> {
  const rows: { id: string; name: string }[] = await runner.query('SELECT "id", "name" FROM "functions"');
  for (const { id, name } of rows) {
    const update = runner.manager
      .createQueryBuilder()
      .update('functions')
      .set({ key: keyOf(name) });
    await update.where('id = :id', { id }).execute();
  }
}

/** Keys as the core makes them at this version: a migration that was released is never changed. */
function keyOf(name: string): string {
  const [first = '', ...others] = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const start = first.charAt(0).toLowerCase() + first.slice(1);
  return [start, ...others.map((each) => each.charAt(0).toUpperCase() + each.slice(1))].join('');
}

/** Whether pending migrations run, or are only listed. */
export type MigrationMode = 'run' | 'list';

/**
 * Run what is pending, or only list it, on a connection that already holds the lock and the transaction of the caller.
 * Commit a run, and roll back a list: it makes the table of migrations where that is missing.
 *
 * @returns The names of what ran, or is pending.
 * @throws Error if the database was migrated by a newer version, whose rows this one could damage, or by something else.
 */
export async function runMigrations(
  dataSource: DataSource,
  runner: QueryRunner,
  mode: MigrationMode,
): Promise<readonly string[]> {
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'none';
  const known = new Set(dataSource.migrations.map(({ name }) => name));
  const executed = await executor.getExecutedMigrations();
  const unknown = executed.find(({ name }) => !known.has(name));
  if (unknown !== undefined) {
    if (!executed.some(({ name }) => known.has(name))) {
      throw new Error(`the table of migrations is of something else: it has ${unknown.name}, and none of this plugin`);
    }
    throw new Error(`the database has the migration ${unknown.name}, so it needs a newer version of this plugin`);
  }
  const found = mode === 'run' ? await executor.executePendingMigrations() : await executor.getPendingMigrations();
  return found.map(({ name }) => name);
}
