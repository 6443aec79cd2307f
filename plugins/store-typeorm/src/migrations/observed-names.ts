import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable } from './create-table.ts';

/** Names that were called although no function has them. */
export class ObservedNames1795360000000 implements MigrationInterface {
  readonly name = 'ObservedNames1795360000000';

  async up(runner: QueryRunner): Promise<void> {
    await createTable(runner, {
      name: 'observed_names',
      primary: ['id'],
      columns: {
        id: 'string',
        tenant: 'string',
        revision: 'integer',
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
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('observed_names');
  }
}
