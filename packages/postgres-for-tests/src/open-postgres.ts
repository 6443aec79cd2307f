import { createDatabase, type TestDatabase } from './databases.ts';
import { canStartPostgres, startPostgres } from './start-postgres.ts';

/** The variable that names a server of one's own: `postgresql://user:password@host:port/database`. */
export const urlVariable = 'PATCHBAY_TEST_POSTGRES_URL';

/** A server for tests that only need databases. */
export interface TestPostgres {
  /** An empty one. Its user may do everything within it. */
  createDatabase(): Promise<TestDatabase>;
  stop(): Promise<void>;
}

/** Why there is no server to test with, in words for the name of what is skipped; undefined where there is one. */
export function missingPostgres(): string | undefined {
  if ((process.env[urlVariable] ?? '') !== '' || canStartPostgres()) return undefined;
  return `no PostgreSQL on npm for ${process.platform}-${process.arch}; set ${urlVariable}`;
}

/**
 * The server that the variable names, or else one from npm, which takes half a second.
 *
 * The user of a server of one's own must be allowed to create databases.
 */
export async function openPostgres(): Promise<TestPostgres> {
  const url = process.env[urlVariable] ?? '';
  if (url === '') return await startPostgres();
  const created: TestDatabase[] = [];
  return {
    async createDatabase() {
      const database = await createDatabase(url);
      created.push(database);
      return database;
    },
    async stop() {
      for (const database of created.splice(0)) await database.drop();
    },
  };
}
