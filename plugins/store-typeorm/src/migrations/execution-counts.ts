import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';

/** How many executions of a tenant have which status, and an index by age for sweeping. Reads each execution once. */
export class ExecutionCounts1795330000000 implements MigrationInterface {
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
