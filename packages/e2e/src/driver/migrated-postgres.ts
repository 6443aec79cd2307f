import type { TestDatabase, TestPostgres } from '@patchbay/postgres-for-tests';
import postgres from '@patchbay/store-postgres';
import { testContext } from '@patchbay/testing';

const usual = {
  poolSize: 1,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 5_000,
  applicationName: 'patchbay-test',
} as const;

/**
 * Create a database that is empty and has every migration, so that no server that starts on it loads TypeORM. Servers that
 * migrate are those of `two-replicas.test.ts`.
 */
export async function createMigratedDatabase(server: Pick<TestPostgres, 'createDatabase'>): Promise<TestDatabase> {
  const database = await server.createDatabase();
  const config = { ...usual, url: database.url };
  const { logger } = testContext();
  await postgres.definition.create({ deps: {}, logger, mount: 'storage', directory: '/', config }).migrate();
  return database;
}
