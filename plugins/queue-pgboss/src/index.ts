/**
 * Jobs in PostgreSQL by pg-boss, enqueued in the transactions of the storage.
 *
 * @module
 */
import { definePlugin, services } from '@patchbay/core/plugin';
import { PgBossQueue } from './pgboss-queue.ts';

export default definePlugin({
  name: '@patchbay/queue-pgboss',
  kind: 'queue',
  version: 1,
  capabilities: ['durable'],
  config: {
    properties: {
      url: {
        type: 'string',
        pattern: '^postgres(ql)?://',
        $comment: 'must be a postgres or postgresql URL',
        writeOnly: true,
        description: 'The database of the storage, such as `postgresql://user:password@host:5432/database`.',
      },
      schema: {
        type: 'string',
        pattern: '^[a-z_][a-z0-9_]{0,39}$',
        $comment: 'must be 1 to 40 of a to z, 0 to 9 and "_", no digit first',
        default: 'pgboss',
        description: 'Database schema of pg-boss, which creates and migrates it.',
      },
      poolSize: {
        type: 'integer',
        minimum: 2,
        maximum: 100,
        default: 4,
        description: 'Maximum number of connections, besides one for LISTEN.',
      },
      pollMs: {
        type: 'integer',
        minimum: 10,
        maximum: 60_000,
        default: 1_000,
        description: 'Polling interval for due jobs in milliseconds.',
      },
      keepSeconds: {
        type: 'integer',
        minimum: 1,
        maximum: 31_536_000,
        default: 3_600,
        description: 'Seconds to keep finished jobs in the table, for the dashboard.',
      },
    },
    required: ['url'],
  },
  deps: { storage: services.storage, clock: services.clock, logger: services.logger },
  create: ({ config, deps }) => new PgBossQueue({ ...config, ...deps }),
});
