import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Health, PatchbayError, type TenantId } from '@patchbay/core/plugin';
import type {
  Collection,
  CommitResult,
  Filter,
  ListQuery,
  Page,
  Rows,
  SortField,
  Storage,
  Write,
} from '@patchbay/core/storage';
import {
  isCurrent,
  ReadStatements,
  readRows,
  releasedMigrations,
  type Statement,
  WriteEncoder,
} from '@patchbay/store-typeorm';
import type { MigrationMode } from '@patchbay/store-typeorm/migrations';
import type { DataSource, QueryRunner } from 'typeorm';
import { betterSqlite3 } from './better-sqlite3-driver.ts';
import type { CommitOptions, ConnectionOptions, OpenDatabase, RowLists, SqliteDriver } from './driver.ts';
import {
  describeFailure,
  describeOpenFailure,
  isBusy,
  migrationFailure,
  spaceHealth,
  sqliteCode,
  toStorageError,
  unavailable,
} from './failures.ts';
import { DecodedRows } from './known-rows.ts';
import { migrationsOfFile } from './migrations-of-file.ts';
import { newSchema } from './new-schema.ts';

/** How soon opening a file is tried again while another process has it. */
const OPEN_RETRY_MS = 10;

interface Opened {
  readonly database: OpenDatabase;
  /** Which file it is, whatever its path leads to later. */
  readonly inode: number;
}

/** Storage in one file. Writes go through one connection and reads through others, which see what was acknowledged. */
export class SqliteStorage implements Storage {
  readonly #options: ConnectionOptions;
  readonly #driver: SqliteDriver;
  readonly #statements = new ReadStatements('sqlite');
  readonly #encoder = new WriteEncoder('sqlite');
  readonly #decoded = new DecodedRows();
  #opened: Opened | undefined;

  constructor(options: ConnectionOptions, driver: SqliteDriver = betterSqlite3()) {
    this.#options = options;
    this.#driver = driver;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { file } = this.#options;
    this.#driver.check();
    let database: OpenDatabase | undefined;
    try {
      await createFile(file);
      signal.throwIfAborted();
      database = await this.#open(signal);
      const { ino: inode } = await stat(file);
      this.#opened = { database, inode };
    } catch (error) {
      await database?.close();
      if (sqliteCode(error) === undefined) throw error;
      throw new Error(`cannot open ${file}: ${await describeOpenFailure(file, error)}`, { cause: error });
    }
  }

  /** A new file is switched to its log by one process; SQLite does not wait for that, whatever its busy timeout. */
  async #open(signal: AbortSignal): Promise<OpenDatabase> {
    const deadline = performance.now() + this.#options.busyTimeoutMs;
    for (;;) {
      try {
        await migrationsOfFile(this.#driver, this.#options);
        return await this.#driver.open(this.#options);
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await wait(OPEN_RETRY_MS, undefined, { signal });
      }
    }
  }

  async stop(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.database.writer.drain();
    await opened?.database.close();
  }

  async health(): Promise<Health> {
    const opened = this.#opened;
    if (opened === undefined) return { status: 'fail', detail: 'the storage is not started' };
    try {
      const { ino } = await stat(this.#options.file);
      if (ino !== opened.inode) return { status: 'fail', detail: 'the file of the database was replaced' };
      await opened.database.read([{ sql: 'SELECT COUNT(*) FROM sqlite_schema', parameters: [] }]);
      const { writer } = opened.database;
      if (writer.isFailing) await writer.probe();
      return await spaceHealth(this.#options.file);
    } catch (error) {
      if (PatchbayError.is(error)) return { status: 'fail', detail: error.message };
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      return { status: 'fail', detail: missing ? 'the file of the database is gone' : describeFailure(error) };
    }
  }

  async migrate(): Promise<readonly string[]> {
    return await this.#migrations('run');
  }

  async pendingMigrations(): Promise<readonly string[]> {
    return await this.#migrations('list');
  }

  async #migrations(mode: MigrationMode): Promise<readonly string[]> {
    const { file, busyTimeoutMs } = this.#options;
    this.#driver.check();
    await createFile(file);
    try {
      if (isCurrent(await migrationsOfFile(this.#driver, this.#options))) return [];
      if (mode === 'run' && (await this.#makeSchema())) return releasedMigrations;
      const dataSource = await this.#driver.openForMigrations(this.#options);
      try {
        return await migrate(dataSource, mode, busyTimeoutMs);
      } finally {
        await dataSource.destroy();
      }
    } catch (error) {
      throw migrationFailure(file, error);
    }
  }

  /** Whether the file was empty, and now has the schema that all migrations lead to. */
  async #makeSchema(): Promise<boolean> {
    try {
      await this.#driver.run(this.#options, newSchema);
      return true;
    } catch {
      // It has tables already. Whatever else is wrong, migrating reports it.
      return false;
    }
  }

  async get<C extends Collection>(tenant: TenantId, collection: C, id: string): Promise<Rows[C] | undefined> {
    const reading = this.#statements.get(tenant, collection, id);
    const found = this.#read(reading);
    const [rows = []] = found instanceof Promise ? await found : found;
    const [values] = rows;
    if (values === undefined) return undefined;
    const row = this.#decoded.read(rows, () => reading.read(values));
    return row instanceof Promise ? await row : row;
  }

  async list<C extends Collection, F extends keyof Rows[C] = keyof Rows[C]>(
    tenant: TenantId,
    collection: C,
    query: ListQuery<C, F>,
  ): Promise<Page<Pick<Rows[C], F>>> {
    const page = this.#statements.page(tenant, collection, query);
    if (query.counted === false) {
      const [only = []] = await this.#read(page);
      return { rows: await readRows(page, only), total: only.length };
    }
    const total = this.#statements.total(tenant, collection, query.where ?? {}, query);
    const found = this.#read(total, page);
    const [[counted] = [], values = []] = found instanceof Promise ? await found : found;
    const rows = this.#decoded.read(values, () => readRows(page, values));
    return {
      rows: rows instanceof Promise ? await rows : rows,
      total: counted === undefined ? 0 : total.read(counted),
    };
  }

  async commit(tenant: TenantId, writes: readonly Write[], options?: CommitOptions): Promise<CommitResult> {
    const { writer } = this.#require().database;
    return await writer.commit(tenant, this.#encoder.encode(tenant, writes), options);
  }

  async scanAllTenants<C extends Collection>(
    collection: C,
    where: Filter<C>,
    limit: number,
    sort?: SortField<C>,
    heads?: { readonly after?: TenantId },
  ): Promise<readonly { readonly tenant: TenantId; readonly row: Rows[C] }[]> {
    const reading = this.#statements.scan(collection, where, limit, sort, heads);
    const [rows = []] = await this.#read(reading);
    return await readRows(reading, rows);
  }

  #require(): Opened {
    if (this.#opened === undefined) throw unavailable('the storage is not started');
    return this.#opened;
  }

  /** A promise only where the driver is asynchronous. */
  #read(...statements: readonly Statement[]): RowLists | Promise<RowLists> {
    const { database } = this.#require();
    const fail = (error: unknown): never => {
      throw toStorageError(error);
    };
    try {
      const found = database.read(statements);
      return found instanceof Promise ? found.catch(fail) : found;
    } catch (error) {
      return fail(error);
    }
  }
}

/** Create the file and the folders above it, readable by their owner only, if they are missing. */
async function createFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    // Never open and close a database that exists: closing drops the locks that SQLite holds for this process.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Migrate in one transaction: all pending migrations or none. Two processes take turns, and the second finds nothing to do. */
async function migrate(dataSource: DataSource, mode: MigrationMode, busyTimeoutMs: number): Promise<readonly string[]> {
  const { runMigrations } = await import('@patchbay/store-typeorm/migrations');
  const runner = dataSource.createQueryRunner();
  await begin(runner, performance.now() + busyTimeoutMs);
  try {
    const names = await runMigrations(dataSource, runner, mode);
    await runner.query(mode === 'run' ? 'COMMIT' : 'ROLLBACK');
    return names;
  } catch (error) {
    await runner.query('ROLLBACK');
    throw error;
  }
}

async function begin(runner: QueryRunner, deadline: number): Promise<void> {
  for (;;) {
    try {
      await runner.query('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await wait(5);
    }
  }
}
