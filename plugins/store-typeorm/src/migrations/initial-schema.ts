import { type TableDefinition, TablesMigration } from './schema-changes.ts';

/** Functions, their versions, executions, keys, and the counters. */
export class InitialSchema1767225600000 extends TablesMigration {
  override readonly name = 'InitialSchema1767225600000';

  override readonly tables: readonly TableDefinition[] = [
    {
      name: 'functions',
      columns: {
        name: 'string',
        content_hash: 'string',
        created_at: 'time',
        updated_at: 'time',
        description: 'text',
        input: 'json',
        output: 'json',
        code: 'text',
        artifact: 'text',
      },
      indexes: [
        ['tenant', 'created_at', 'id'],
        ['tenant', 'updated_at', 'id'],
        ['tenant', 'name', 'id'],
      ],
    },
    {
      name: 'function_versions',
      columns: {
        function_id: 'string',
        version: 'integer',
        name: 'string',
        content_hash: 'string',
        created_at: 'time',
        created_by: 'string',
        description: 'text',
        input: 'json',
        output: 'json',
        code: 'text',
      },
      indexes: [
        ['tenant', 'version', 'id'],
        ['function_id', 'tenant', 'version', 'id'],
      ],
    },
    {
      name: 'executions',
      columns: {
        function_id: 'string',
        function_version: 'integer',
        status: 'string',
        logs_truncated: 'boolean',
        duration_ms: 'integer?',
        created_at: 'time',
        completed_at: 'time?',
        created_by: 'string',
        input: 'json',
        effective_input: 'json?',
        output: 'json?',
        error: 'json?',
        logs: 'json',
        usage: 'json?',
      },
      indexes: [
        ['tenant', 'created_at', 'id'],
        ['function_id', 'tenant', 'created_at', 'id'],
        ['status', 'tenant', 'created_at', 'id'],
      ],
    },
    {
      name: 'api_keys',
      columns: {
        lookup_id: 'string',
        name: 'string',
        secret_hash: 'string',
        created_at: 'time',
        created_by: 'string',
        expires_at: 'time?',
        revoked_at: 'time?',
        scopes: 'json',
      },
      indexes: [['tenant', 'created_at', 'id']],
      unique: ['lookup_id'],
    },
    {
      name: 'counts',
      primary: ['tenant', 'collection', 'field', 'value'],
      columns: { tenant: 'string', collection: 'string', field: 'string', value: 'string', total: 'integer' },
      withoutRowid: true,
    },
  ];
}
