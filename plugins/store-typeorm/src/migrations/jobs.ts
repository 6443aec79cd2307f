import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, createTable } from './schema-changes.ts';

/** Jobs, the instances that take them, and which of these runs an execution. */
export class Jobs1795255200000 implements MigrationInterface {
  readonly name = 'Jobs1795255200000';

  async up(runner: QueryRunner): Promise<void> {
    await createTable(runner, {
      name: 'jobs',
      columns: {
        topic: 'string',
        state: 'string',
        due_at: 'time',
        attempt: 'integer',
        dedupe_key: 'string?',
        created_at: 'time',
        payload: 'json',
        error: 'json?',
      },
      indexes: [
        ['tenant', 'due_at', 'id'],
        ['topic', 'state', 'due_at', 'id'],
      ],
    });
    await createTable(runner, {
      name: 'instances',
      columns: {
        process: 'string',
        started_at: 'time',
        expires_at: 'time',
      },
      indexes: [['tenant', 'expires_at', 'id']],
    });
    await addColumns(runner, 'executions', { owner: 'string?', attempt: 'integer?', principal: 'json?' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumns('executions', ['principal', 'attempt', 'owner']);
    await runner.dropTable('instances');
    await runner.dropTable('jobs');
  }
}
