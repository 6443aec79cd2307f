import type { Statement } from '../sql.ts';
import released from './released.json' with { type: 'json' };

/** The names of the migrations that a database has. It fails where none was ever migrated. */
export const executedMigrations: Statement = { sql: 'SELECT "name" FROM "migrations"', parameters: [] };

/** The names of all migrations, oldest first. */
export const releasedMigrations: readonly string[] = Object.keys(released);

/**
 * Whether a database with these migrations has each that was released and no other: `runMigrations` would find nothing to
 * do. Apart from it, because TypeORM takes as long to load as the rest of a storage.
 */
export function isCurrent(names: Iterable<unknown>): boolean {
  const executed = new Set(names);
  return executed.size === releasedMigrations.length && releasedMigrations.every((name) => executed.has(name));
}
