import { stat } from 'node:fs/promises';
import type { Health, TenantId } from '@patchbay/core/plugin';
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
import { ReadStatements, readRows } from '@patchbay/store-typeorm';
import { type ConnectionOptions, createFile, pragmas } from '../connect.ts';
import { describeFailure, sqliteCode, toStorageError, unavailable } from '../failures.ts';
import { describeOpenFailure, spaceHealth } from '../free-space.ts';
import { GroupWriter } from '../group-writer.ts';
import { migrate, pendingMigrations } from '../migrate.ts';
import { deferredWrites } from '../writer-connection.ts';
import { ReaderPool } from './reader-pool.ts';
import { Sqlite3Connection } from './sqlite3-connection.ts';
import { sqlite3DataSource } from './sqlite3-driver.ts';
import type { Sqlite3Package } from './sqlite3-package.ts';

interface Opened {
  readonly write: Sqlite3Connection;
  readonly writer: GroupWriter;
  readonly readers: ReaderPool<Sqlite3Connection>;
  /** Which file it is, whatever its path leads to later. */
  readonly inode: number;
}

/** SQLite works in the threads of libuv, of which there are four, and files and names need some, too. */
const READERS = 2;

/** `SqliteStorage` on the package `sqlite3`, in whose threads a long query does not hold up the event loop. */
export class Sqlite3Storage implements Storage {
  readonly #options: ConnectionOptions;
  readonly #load: () => Sqlite3Package;
  readonly #statements = new ReadStatements('sqlite');
  #opened: Opened | undefined;

  constructor(options: ConnectionOptions, load: () => Sqlite3Package) {
    this.#options = options;
    this.#load = load;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { file, busyTimeoutMs } = this.#options;
    this.#load();
    const opened: Sqlite3Connection[] = [];
    try {
      await createFile(file);
      signal.throwIfAborted();
      const write = await this.#connect('write');
      opened.push(write);
      const reading: Sqlite3Connection[] = [];
      for (let count = 0; count < READERS; count += 1) {
        const connection = await this.#connect('read');
        opened.push(connection);
        reading.push(connection);
      }
      const { ino: inode } = await stat(file);
      const writer = new GroupWriter(
        deferredWrites((statement) => write.execute(statement)),
        busyTimeoutMs,
      );
      this.#opened = { write, writer, readers: new ReaderPool(reading), inode };
    } catch (error) {
      for (const connection of opened) await connection.close();
      if (sqliteCode(error) === undefined) throw error;
      throw new Error(`cannot open ${file}: ${await describeOpenFailure(file, error)}`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.writer.drain();
    await opened?.readers.close();
    // Last, because the last one tidies up the file.
    await opened?.write.close();
  }

  async health(): Promise<Health> {
    const opened = this.#opened;
    if (opened === undefined) return { status: 'fail', detail: 'the storage is not started' };
    try {
      const { ino } = await stat(this.#options.file);
      if (ino !== opened.inode) return { status: 'fail', detail: 'the file of the database was replaced' };
      await opened.readers.use((reader) => reader.rows('SELECT COUNT(*) FROM sqlite_schema', []));
      if (opened.writer.failure !== undefined) await opened.writer.probe();
      return await spaceHealth(this.#options.file);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      return { status: 'fail', detail: missing ? 'the file of the database is gone' : describeFailure(error) };
    }
  }

  async migrate(): Promise<readonly string[]> {
    return await this.#migrations(migrate);
  }

  async pendingMigrations(): Promise<readonly string[]> {
    return await this.#migrations(pendingMigrations);
  }

  async #migrations(work: typeof migrate): Promise<readonly string[]> {
    await createFile(this.#options.file);
    const connection = await this.#connect('write');
    try {
      const dataSource = await sqlite3DataSource(this.#options.file, connection);
      return await work(dataSource, this.#options.busyTimeoutMs);
    } catch (error) {
      throw toStorageError(error);
    } finally {
      await connection.close();
    }
  }

  async get<C extends Collection>(tenant: TenantId, collection: C, id: string): Promise<Rows[C] | undefined> {
    const reading = this.#statements.get(tenant, collection, id);
    const [values] = await this.#reading((readers) => readers.use((reader) => reader.all(reading)));
    return values === undefined ? undefined : await reading.read(values);
  }

  async list<C extends Collection, F extends keyof Rows[C] = keyof Rows[C]>(
    tenant: TenantId,
    collection: C,
    query: ListQuery<C, F>,
  ): Promise<Page<Pick<Rows[C], F>>> {
    const page = this.#statements.page(tenant, collection, query);
    const total = this.#statements.total(tenant, collection, query.where ?? {});
    const [[counted], found] = await this.#reading((readers) =>
      readers.snapshot(async (reader) => [await reader.all(total), await reader.all(page)] as const),
    );
    return { rows: await readRows(page, found), total: counted === undefined ? 0 : total.read(counted) };
  }

  async commit(tenant: TenantId, writes: readonly Write[]): Promise<CommitResult> {
    return await this.#require().writer.commit(tenant, writes);
  }

  async scanAllTenants<C extends Collection>(
    collection: C,
    where: Filter<C>,
    limit: number,
    sort?: SortField<C>,
    heads?: { readonly after?: TenantId },
  ): Promise<readonly { readonly tenant: TenantId; readonly row: Rows[C] }[]> {
    const reading = this.#statements.scan(collection, where, limit, sort, heads);
    const found = await this.#reading((readers) => readers.use((reader) => reader.all(reading)));
    return await readRows(reading, found);
  }

  async #connect(role: 'read' | 'write'): Promise<Sqlite3Connection> {
    // The writer waits for other processes by itself, without keeping a thread.
    const patience = `busy_timeout = ${role === 'write' ? 0 : this.#options.busyTimeoutMs}`;
    const all = [patience, ...pragmas(this.#options, role)];
    return await Sqlite3Connection.open(this.#load(), this.#options.file, role, all);
  }

  #require(): Opened {
    if (this.#opened === undefined) throw unavailable('the storage is not started');
    return this.#opened;
  }

  async #reading<R>(body: (readers: ReaderPool<Sqlite3Connection>) => Promise<R>): Promise<R> {
    const { readers } = this.#require();
    try {
      return await body(readers);
    } catch (error) {
      throw toStorageError(error);
    }
  }
}
