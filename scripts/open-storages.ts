import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@patchbay/core/storage';
import { createMemoryStorage } from '@patchbay/core/storage';
import { openPostgres } from '@patchbay/postgres-for-tests';
import postgresPlugin from '@patchbay/store-postgres';
import sqlitePlugin from '@patchbay/store-sqlite';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Every storage there is, started and empty. */
export async function openStorages() {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-compare-'));
  const postgres = await openPostgres();
  const { url } = await postgres.createDatabase();
  const given = { deps: {}, logger, mount: 'storage', directory } as const;
  const created = {
    sqlite: sqlitePlugin.definition.create({
      ...given,
      config: { driver: 'better-sqlite3', file: 'patchbay.db', busyTimeoutMs: 5_000, cacheMegabytes: 16 },
    }),
    postgres: postgresPlugin.definition.create({
      ...given,
      config: {
        url,
        poolSize: 10,
        connectTimeoutMs: 5_000,
        statementTimeoutMs: 10_000,
        lockTimeoutMs: 5_000,
        applicationName: 'patchbay',
      },
    }),
  };
  for (const storage of Object.values(created)) {
    await storage.start?.(new AbortController().signal);
    await storage.migrate();
  }
  const storages: Readonly<Record<'memory' | 'sqlite' | 'postgres', Storage>> = {
    memory: createMemoryStorage(),
    ...created,
  };
  return {
    storages,
    async close() {
      for (const storage of Object.values(created)) await storage.stop?.();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
