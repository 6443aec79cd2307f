import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, createTable } from './schema-changes.ts';

const added = {
  ip_addresses: 'json?',
  rate_limit: 'json?',
  budget: 'json?',
  last_used_at: 'time?',
  rotated_at: 'time?',
  previous_hash: 'string?',
  previous_until: 'time?',
} as const;

/** Limits and rotation of keys, and the audit log. */
export class KeysAndAudit1767312000000 implements MigrationInterface {
  readonly name = 'KeysAndAudit1767312000000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumns(runner, 'api_keys', added);
    await createTable(runner, {
      name: 'audit_entries',
      columns: {
        sequence: 'integer',
        action: 'string',
        resource_type: 'string',
        resource_id: 'string',
        actor_id: 'string',
        actor_kind: 'string',
        request_id: 'string?',
        address: 'string?',
        created_at: 'time',
        previous_hash: 'string',
        hash: 'string',
        details: 'json',
      },
      indexes: [
        ['tenant', 'sequence', 'id'],
        ['action', 'tenant', 'sequence', 'id'],
        ['resource_id', 'tenant', 'sequence', 'id'],
      ],
    });
    await createTable(runner, {
      name: 'audit_heads',
      columns: { sequence: 'integer', hash: 'string' },
      indexes: [['tenant', 'sequence', 'id']],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['audit_heads', 'audit_entries']) await runner.dropTable(table);
    await runner.dropColumns('api_keys', Object.keys(added));
  }
}
