import { schemaOptions } from '@patchbay/store-typeorm/migrations';
import { DataSource } from 'typeorm';
import { loadBetterSqlite3, type SqliteDatabase } from './better-sqlite3.ts';
import { type ConnectionOptions, pragmas } from './driver.ts';

/** A data source with our entities and migrations, on a connection of better-sqlite3 that writes and does not wait for locks. */
export async function betterSqlite3DataSource(options: ConnectionOptions): Promise<DataSource> {
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    driver: loadBetterSqlite3(),
    database: options.file,
    timeout: options.busyTimeoutMs,
    ...schemaOptions('sqlite'),
    prepareDatabase(database: SqliteDatabase) {
      for (const pragma of pragmas(options, 'write')) database.pragma(pragma);
      database.pragma('busy_timeout = 0');
    },
  });
  return await dataSource.initialize();
}
