import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns } from './add-columns.ts';

/** Which execution asked for an execution. */
export class ExecutionParents1795320000000 implements MigrationInterface {
  readonly name = 'ExecutionParents1795320000000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumns(runner, 'executions', { parent_id: 'string?' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumns('executions', ['parent_id']);
  }
}
