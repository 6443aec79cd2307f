/**
 * Storage in one SQLite file on this machine.
 *
 * @module
 */
import { resolve } from 'node:path';
import { definePlugin } from '@patchbay/core/plugin';
import { SqliteStorage } from './sqlite-storage.ts';
import { sqlite3Driver } from './sqlite3/sqlite3.ts';
import { loadSqlite3 } from './sqlite3/sqlite3-connection.ts';

export default definePlugin({
  name: '@patchbay/store-sqlite',
  kind: 'storage',
  version: 1,
  capabilities: ['durable', 'ordered'],
  config: {
    properties: {
      file: {
        type: 'string',
        minLength: 1,
        default: './data/patchbay.db',
        description: 'Database file. Relative to the folder of the config file. Keep it on a local disk.',
      },
      driver: {
        type: 'string',
        enum: ['better-sqlite3', 'sqlite3'],
        default: 'better-sqlite3',
        description: 'sqlite3 runs in threads, is slower, and must be installed separately: npm install sqlite3.',
      },
      busyTimeoutMs: {
        type: 'integer',
        minimum: 0,
        maximum: 60_000,
        default: 5_000,
        description: 'Milliseconds a commit may wait while another process writes to the same file.',
      },
      cacheMegabytes: {
        type: 'integer',
        minimum: 1,
        maximum: 65_536,
        default: 16,
        description: 'Page cache per connection, in megabytes. There are two connections.',
      },
      maxMegabytes: {
        type: 'integer',
        minimum: 1,
        maximum: 16_777_216,
        description:
          'Maximum size of the database in megabytes; commits beyond it fail. Default: the free space of the disk.',
      },
    },
  },
  create({ config, directory }) {
    if (config.file === ':memory:') {
      throw new Error('store-sqlite keeps a file: reads and writes use a connection each, and memory is not shared');
    }
    const options = {
      file: resolve(directory, config.file),
      busyTimeoutMs: config.busyTimeoutMs,
      cacheMegabytes: config.cacheMegabytes,
      maxMegabytes: config.maxMegabytes,
    };
    if (config.driver === 'sqlite3')
      return new SqliteStorage(
        options,
        sqlite3Driver(() => loadSqlite3(directory)),
      );
    return new SqliteStorage(options);
  },
});
