import { mkdir, open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { entities, migrations } from '@patchbay/store-typeorm';
import { DataSource, type Logger } from 'typeorm';
import type { SqliteDatabase } from './sqlite-database.ts';

export interface ConnectionOptions {
  /** Absolute path. */
  readonly file: string;
  readonly busyTimeoutMs: number;
  readonly cacheMegabytes: number;
  readonly maxMegabytes: number | undefined;
}

export interface Connection {
  readonly dataSource: DataSource;
  /** The driver's own handle. */
  readonly database: SqliteDatabase;
}

// TypeORM would print to the console what it also throws.
export const silent: Logger = {
  logQuery() {},
  logQueryError() {},
  logQuerySlow() {},
  logSchemaBuild() {},
  logMigration() {},
  log() {},
};

/** Create the file and the folders above it, for the eyes of their owner only, where they are missing. */
export async function createFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    // Never open and close a database that exists: closing drops the locks that SQLite holds for this process.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Built for Node-API 10: on an older Node the driver does not fail, it takes the process down. */
export function requireNodeApi(nodeApi = Number(process.versions['napi'])): void {
  if (nodeApi >= 10) return;
  throw new Error(`@patchbay/store-sqlite needs Node 22.14 or newer, and this is ${process.version}`);
}

/**
 * Open a connection.
 *
 * @throws Error where the driver cannot work with this version of Node.
 */
export async function connect(options: ConnectionOptions, role: 'read' | 'write'): Promise<Connection> {
  requireNodeApi();
  const driver: unknown = createRequire(import.meta.url)('better-sqlite3');
  let database: SqliteDatabase | undefined;
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    driver,
    database: options.file,
    readonly: role === 'read',
    timeout: options.busyTimeoutMs,
    entities: entities('sqlite'),
    migrations: [...migrations],
    synchronize: false,
    logger: silent,
    prepareDatabase(opened: SqliteDatabase) {
      database = opened;
      for (const pragma of pragmas(options, role)) opened.pragma(pragma);
    },
  });
  await dataSource.initialize();
  if (database === undefined) throw new Error('the driver was not handed out');
  return { dataSource, database };
}

/** How a connection is set up, whatever the driver. */
export function pragmas(
  { cacheMegabytes, maxMegabytes }: ConnectionOptions,
  role: 'read' | 'write',
): readonly string[] {
  const cache = `cache_size = -${cacheMegabytes * 1_024}`;
  if (role === 'read') return [cache, 'query_only = ON'];
  return [
    cache,
    'journal_mode = WAL',
    // NORMAL loses acknowledged commits when the power fails.
    'synchronous = FULL',
    'foreign_keys = ON',
    // A burst may grow the log; afterwards it is cut back to this.
    'journal_size_limit = 67108864',
    ...(maxMegabytes === undefined ? [] : [`max_page_count = ${maxMegabytes * 256}`]),
  ];
}
