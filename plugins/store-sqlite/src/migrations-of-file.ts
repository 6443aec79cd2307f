import { stat } from 'node:fs/promises';
import { executedMigrations, releasedMigrations, type Statement } from '@patchbay/store-typeorm';
import type { ConnectionOptions, SqliteDriver } from './driver.ts';
import { sqliteCode } from './failures.ts';

/** More than these are only counted. */
const NAMED_TABLES = 3;

/** Without the tables of SQLite itself, and of Litestream, which may find an empty file before we do. */
const tables: Statement = {
  sql: `SELECT "name" FROM "sqlite_schema" WHERE "type" IN ('table', 'view')
    AND "name" NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND "name" NOT LIKE '\\_litestream\\_%' ESCAPE '\\' ORDER BY "name"`,
  parameters: [],
};

/**
 * The names of the migrations that a file has: none if it is empty. A migration would add our tables to those of another
 * application, or fail at a table of the same name; and opening a file for writing changes it already.
 *
 * @throws Error if the file has tables of something else. Nothing is written to it.
 */
export async function migrationsOfFile(driver: SqliteDriver, options: ConnectionOptions): Promise<readonly unknown[]> {
  const { file } = options;
  if ((await stat(file)).size === 0) return [];
  const names = await executedIn(driver, options);
  // Without any, it has the table of migrations alone, or lost them: migrating finds out.
  if (names?.length === 0 || names?.some((name) => releasedMigrations.includes(String(name)))) return names;
  const found = (await driver.look(options, tables)).flat();
  if (found.length === 0) return [];
  throw new Error(`${file} has tables of something else (${listed(found)}): name another file for the storage`);
}

/** Undefined if there is no table of migrations, or one with other columns. */
async function executedIn(driver: SqliteDriver, options: ConnectionOptions): Promise<readonly unknown[] | undefined> {
  try {
    return (await driver.look(options, executedMigrations)).flat();
  } catch (error) {
    if (sqliteCode(error) === 'SQLITE_ERROR') return undefined;
    throw error;
  }
}

function listed(found: readonly unknown[]): string {
  const named = found.slice(0, NAMED_TABLES).map((name) => JSON.stringify(name));
  const others = found.length - named.length;
  return others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} more`;
}
