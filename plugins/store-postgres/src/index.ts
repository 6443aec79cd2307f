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
        description: 'Maximum number of connections of this process.',
      },
      connectTimeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 60_000,
        default: 5_000,
        description: 'Milliseconds to wait for a connection from the pool, or to open one.',
      },
      statementTimeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 600_000,
        default: 10_000,
        description: 'Timeout of a statement in milliseconds. Migrations may take longer.',
      },
      lockTimeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 600_000,
        default: 5_000,
        description: 'Milliseconds a commit may wait for a lock on its rows.',
      },
      applicationName: {
        type: 'string',
        minLength: 1,
        default: 'patchbay',
        description: 'Name of the connections in `pg_stat_activity`.',
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
