import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable } from './create-table.ts';

/** Requests with an `Idempotency-Key`. */
export class IdempotencyKeys1795258800000 implements MigrationInterface {
  readonly name = 'IdempotencyKeys1795258800000';

  async up(runner: QueryRunner): Promise<void> {
    await createTable(runner, {
      name: 'idempotency_keys',
      primary: ['id'],
      columns: {
        id: 'string',
        tenant: 'string',
        revision: 'integer',
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
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('idempotency_keys');
  }
}
