/**
 * Storage in PostgreSQL, for one server or many.
 *
 * @module
 */
import { definePlugin } from '@patchbay/core/plugin';
import { driverAddress } from './connect.ts';
import { PostgresStorage } from './postgres-storage.ts';

export default definePlugin({
  name: '@patchbay/store-postgres',
  kind: 'storage',
  version: 1,
  capabilities: ['durable'],
  config: {
    properties: {
      url: {
        type: 'string',
        pattern: '^postgres(ql)?://',
        writeOnly: true,
        description: 'Such as `postgresql://user:password@host:5432/database`. Options below win over its parts.',
      },
      host: { type: 'string', minLength: 1, description: 'A name, an address, or the folder of a unix socket.' },
      port: { type: 'integer', description: 'Port of the server. Default: 5432.', minimum: 1, maximum: 65_535 },
      database: { type: 'string', description: 'Name of the database.', minLength: 1 },
      user: { type: 'string', description: 'Name of the role.', minLength: 1 },
      password: { type: 'string', description: 'Password of the role.', minLength: 1, writeOnly: true },
      tls: {
        type: 'object',
        description: 'Encrypt the connection. Without it, as `sslmode` of the url says.',
        properties: {
          ca: { type: 'string', description: 'Certificates, in PEM, of the authorities to trust.' },
          cert: { type: 'string', description: 'Own certificate, in PEM, where the server asks for one.' },
          key: { type: 'string', writeOnly: true, description: 'Private key of `cert`, in PEM.' },
          servername: { type: 'string', description: 'Name that the certificate is for, where it is not the host.' },
          rejectUnauthorized: {
            type: 'boolean',
            default: true,
            description: 'Refuse servers whose certificate is not trusted. Otherwise an attacker in between can read everything.',
          },
        },
      },
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
