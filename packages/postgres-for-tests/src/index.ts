/**
 * A real PostgreSQL for the tests of this repository: from npm, or an existing server that
 * `PATCHBAY_TEST_POSTGRES_URL` names.
 *
 * @example
 * ```ts
 * import { missingPostgres, openPostgres } from '@patchbay/postgres-for-tests';
 *
 * if (missingPostgres() === undefined) {
 *   const postgres = await openPostgres();
 *   const database = await postgres.createDatabase();
 *   console.log(database.url);
 *   await postgres.stop();
 * }
 * ```
 *
 * @module
 */
export type { TestDatabase } from './databases.ts';
export { missingPostgres, openPostgres, type TestPostgres, urlVariable } from './open-postgres.ts';
export { canStartPostgres, type OwnPostgres, type StartOptions, startPostgres } from './start-postgres.ts';
