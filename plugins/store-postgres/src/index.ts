/**
 * Storage in PostgreSQL, for one server or many.
 *
 * @module
 */
import { definePlugin } from '@patchbay/core/plugin';
import { addressOptions, driverAddress } from './connect.ts';
import { PostgresStorage } from './postgres-storage.ts';

export default definePlugin({
  name: '@patchbay/store-postgres',
  kind: 'storage',
  version: 1,
  capabilities: ['durable'],
  config: {
    properties: {
      ...addressOptions,
      poolSize: {
        type: 'integer',
        minimum: 1,
        maximum: 1_000,
        default: 10,
        description: 'Connections of this process at most.',
      },
      connectTimeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 60_000,
        default: 5_000,
        description: 'Milliseconds that a request waits for a connection, be it a new one or one that others use.',
      },
      statementTimeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 600_000,
        default: 10_000,
        description: 'Milliseconds that one statement may take. Migrations may take longer.',
      },
      lockTimeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 600_000,
        default: 5_000,
        description: 'Milliseconds that a commit waits for another one over the same rows.',
      },
      applicationName: {
        type: 'string',
        minLength: 1,
        default: 'patchbay',
        description: 'How the connections are called in `pg_stat_activity`.',
      },
    },
  },
  create({ config }) {
    const { poolSize, connectTimeoutMs, statementTimeoutMs, lockTimeoutMs, applicationName, ...address } = config;
    return new PostgresStorage({
      address: driverAddress(address),
      poolSize,
      connectTimeoutMs,
      statementTimeoutMs,
      lockTimeoutMs,
      applicationName,
    });
  },
});
