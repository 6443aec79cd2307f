import { createDatabase, type TestDatabase } from './databases.ts';
import { canStartPostgres, type OwnPostgres, startPostgres } from './start-postgres.ts';

/** The variable with the URL of an existing server: `postgresql://user:password@host:port/database`. */
export const urlVariable = 'PATCHBAY_TEST_POSTGRES_URL';

/** A server for tests that only need databases. */
export interface TestPostgres {
  /** An empty one. Its user may do anything within it. */
  createDatabase(): Promise<TestDatabase>;
  /** Removes the databases. */
  stop(): Promise<void>;
}

/** Why there is no server to test with, worded for the name of a skipped test; undefined if there is one. */
export function missingPostgres(): string | undefined {
  if ((process.env[urlVariable] ?? '') !== '' || canStartPostgres()) return undefined;
  return `no PostgreSQL on npm for ${process.platform}-${process.arch}; set ${urlVariable}`;
}

/** The server of this process, from npm: all test files of a worker use it in turn, and it ends with the process. */
let shared: Promise<OwnPostgres> | undefined;

/**
 * The server that the variable names, or else one from npm, which takes half a second the first time.
 *
 * The user of an existing server must be allowed to create databases.
 */
export async function openPostgres(): Promise<TestPostgres> {
  const url = process.env[urlVariable] ?? '';
  if (url === '') shared ??= startPostgres();
  const own = url === '' ? await shared : undefined;
  const created: TestDatabase[] = [];
  return {
    async createDatabase() {
      const database = await (own?.createDatabase() ?? createDatabase(url));
      created.push(database);
      return database;
    },
    async stop() {
      for (const database of created.splice(0)) await database.drop();
    },
  };
}
