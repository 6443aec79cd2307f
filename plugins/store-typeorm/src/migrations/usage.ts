import { type TableDefinition, TablesMigration } from './schema-changes.ts';

const shared = {
  kind: 'string',
  key_id: 'string',
  function_id: 'string',
  model: 'string',
  outcome: 'string',
  uncached_input_tokens: 'integer',
  cache_read_tokens: 'integer',
  cache_write_tokens: 'integer',
  output_tokens: 'integer',
  reasoning_tokens: 'integer',
  duration_ms: 'integer',
} as const;

/** Usage: every call, and the sums of each hour. */
export class Usage1795310000000 extends TablesMigration {
  override readonly name = 'Usage1795310000000';

  override readonly tables: readonly TableDefinition[] = [
    {
      name: 'usage_entries',
      columns: {
        ...shared,
        request_id: 'string',
        cost_nano_usd: 'integer?',
        estimated: 'boolean',
        created_at: 'time',
      },
      indexes: [
        ['tenant', 'created_at', 'id'],
        ['created_at', 'id'],
      ],
    },
    {
      name: 'usage_hours',
      columns: {
        hour: 'time',
        ...shared,
        calls: 'integer',
        cost_nano_usd: 'integer',
        unpriced_calls: 'integer',
      },
      indexes: [
        ['tenant', 'hour', 'id'],
        ['key_id', 'tenant', 'hour', 'id'],
      ],
    },
  ];
}
