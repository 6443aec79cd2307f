import { releasedMigrations, type Statement } from '@patchbay/store-typeorm';
import tablesAndIndexes from './new-schema.json' with { type: 'json' };

const TIMESTAMP_DIGITS = 13;

const plain = (sql: string): Statement => ({ sql, parameters: [] });

/**
 * Give an empty file the schema that all migrations lead to, in one transaction. It fails if there are tables already.
 * TypeORM takes longer to load than all of this takes, and a server that only starts has no other use for it.
 */
export const newSchema: readonly Statement[] = [
  // Migrating waits for other processes, and finds out what they have done.
  plain('PRAGMA busy_timeout = 0'),
  plain('BEGIN IMMEDIATE'),
  ...tablesAndIndexes.map(plain),
  ...releasedMigrations.map((name) => ({
    sql: 'INSERT INTO "migrations" ("timestamp", "name") VALUES (?, ?)',
    parameters: [Number(name.slice(-TIMESTAMP_DIGITS)), name],
  })),
  plain('COMMIT'),
];
