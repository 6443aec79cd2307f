import { type TableDefinition, TablesMigration } from './schema-changes.ts';

/** Webhooks, their events, and the deliveries. */
export class Webhooks1795370000000 extends TablesMigration {
  override readonly name = 'Webhooks1795370000000';

  override readonly tables: readonly TableDefinition[] = [
    {
      name: 'webhooks',
      columns: {
        slot: 'string',
        enabled: 'boolean',
        disabled_reason: 'string?',
        disabled_at: 'time?',
        secret: 'string',
        previous_secret: 'string?',
        previous_until: 'time?',
        created_at: 'time',
        created_by: 'string',
        updated_at: 'time',
        events: 'json',
        url: 'text',
        description: 'text',
      },
      indexes: [['tenant', 'created_at', 'id']],
      unique: ['slot'],
    },
    {
      name: 'webhook_events',
      columns: {
        type: 'string',
        created_at: 'time',
        webhook_id: 'string?',
        data: 'json',
      },
      indexes: [
        ['tenant', 'created_at', 'id'],
        ['created_at', 'id'],
      ],
    },
    {
      name: 'webhook_deliveries',
      columns: {
        webhook_id: 'string',
        event_id: 'string',
        event_type: 'string',
        state: 'string',
        lane: 'string?',
        due_at: 'time?',
        attempts: 'integer',
        failures: 'integer',
        created_at: 'time',
        completed_at: 'time?',
        log: 'json',
      },
      indexes: [
        ['tenant', 'created_at', 'id'],
        ['tenant', 'due_at', 'id'],
        ['webhook_id', 'tenant', 'created_at', 'id'],
        ['event_id', 'tenant', 'created_at', 'id'],
        ['lane', 'tenant', 'due_at', 'id'],
      ],
    },
    {
      name: 'webhook_lanes',
      columns: {
        run: 'string?',
        held_until: 'time?',
        alarm: 'string?',
        alarm_at: 'time?',
        woken_at: 'time',
        failing_since: 'time?',
        throttles: 'integer',
        paused_until: 'time?',
      },
      indexes: [['tenant', 'woken_at', 'id']],
    },
  ];
}
