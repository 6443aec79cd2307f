import { type DataSource, MigrationExecutor, type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { FunctionSettings1795300000000 } from './function-settings.ts';
import { InitialSchema1767225600000 } from './initial-schema.ts';
import { Jobs1795255200000 } from './jobs.ts';
import { KeysAndAudit1767312000000 } from './keys-and-audit.ts';
import { addColumns, type TableDefinition, TablesMigration } from './schema-changes.ts';
import { Usage1795310000000 } from './usage.ts';
import { Webhooks1795370000000 } from './webhooks.ts';

/** Requests with an `Idempotency-Key`. */
class IdempotencyKeys1795258800000 extends TablesMigration {
  override readonly name = 'IdempotencyKeys1795258800000';

  override readonly tables: readonly TableDefinition[] = [
    {
      name: 'idempotency_keys',
      columns: {
        request_hash: 'string',
        status: 'string',
        owner: 'string',
        created_at: 'time',
        expires_at: 'time',
        answer: 'json?',
      },
      indexes: [
        ['tenant', 'expires_at', 'id'],
        ['expires_at', 'id'],
      ],
    },
  ];
}

/** Which execution asked for an execution. */
class ExecutionParents1795320000000 implements MigrationInterface {
  readonly name = 'ExecutionParents1795320000000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumns(runner, 'executions', { parent_id: 'string?' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumns('executions', ['parent_id']);
  }
}

/** How many executions of a tenant have which status, and an index by age for sweeping. Reads each execution once. */
class ExecutionCounts1795330000000 implements MigrationInterface {
  readonly name = 'ExecutionCounts1795330000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'INSERT INTO "counts" ("tenant", "collection", "field", "value", "total") ' +
        `SELECT "tenant", 'executions', 'status', "status", COUNT(*) FROM "executions" GROUP BY "status", "tenant"`,
    );
    const columnNames = ['created_at', 'id'];
    await runner.createIndex('executions', new TableIndex({ name: 'ix_executions_created_at_id', columnNames }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('executions', 'ix_executions_created_at_id');
    await runner.query(`DELETE FROM "counts" WHERE "collection" = 'executions' AND "field" = 'status'`);
  }
}

/** Names that were called although no function has them. */
class ObservedNames1795360000000 extends TablesMigration {
  override readonly name = 'ObservedNames1795360000000';

  override readonly tables: readonly TableDefinition[] = [
    {
      name: 'observed_names',
      columns: {
        name: 'string',
        count: 'integer',
        refused: 'integer',
        first_seen_at: 'time',
        last_seen_at: 'time',
        input: 'json',
        output: 'json?',
      },
      indexes: [
        ['tenant', 'last_seen_at', 'id'],
        ['tenant', 'count', 'id'],
      ],
    },
  ];
}

const columnNames = ['topic', 'state', 'tenant', 'due_at', 'id'];
const name = ['ix', 'jobs', ...columnNames].join('_');

/** Finds the first job of each tenant: tenants are served round-robin. */
class JobTurns1795380000000 implements MigrationInterface {
  readonly name = 'JobTurns1795380000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createIndex('jobs', new TableIndex({ name, columnNames }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('jobs', name);
  }
}

/** Every migration, oldest first. A migration that was released is never changed. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  InitialSchema1767225600000,
  KeysAndAudit1767312000000,
  Jobs1795255200000,
  IdempotencyKeys1795258800000,
  FunctionSettings1795300000000,
  Usage1795310000000,
  ExecutionParents1795320000000,
  ExecutionCounts1795330000000,
  ObservedNames1795360000000,
  Webhooks1795370000000,
  JobTurns1795380000000,
];

/** Whether pending migrations run, or are only listed. */
export type MigrationMode = 'run' | 'list';

/**
 * Run what is pending, or only list it, on a connection that already holds the lock and the transaction of the caller.
 * Commit a run, and roll back a list: it makes the table of migrations where that is missing.
 *
 * @returns The names of what ran, or is pending.
 * @throws Error if the database was migrated by a newer version, whose rows this one could damage.
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
    throw new Error(`the database has the migration ${unknown.name}, so it needs a newer version of this plugin`);
  }
  const found = mode === 'run' ? await executor.executePendingMigrations() : await executor.getPendingMigrations();
  return found.map(({ name }) => name);
}
