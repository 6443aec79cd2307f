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
import { type Connection, type ConnectionOptions, connect, createFile } from './connect.ts';
import { describeFailure, sqliteCode, toStorageError, unavailable } from './failures.ts';
import { describeOpenFailure, spaceHealth } from './free-space.ts';
import { GroupWriter } from './group-writer.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { SharedSnapshot } from './shared-snapshot.ts';
import { immediateWrites } from './writer-connection.ts';

interface Opened {
  /** In the order in which they are closed: the last one tidies up the file. */
  readonly connections: readonly Connection[];
  readonly reads: PreparedStatements;
  readonly snapshot: SharedSnapshot;
  readonly writer: GroupWriter;
  /** Which file it is, whatever its path leads to later. */
  readonly inode: number;
}

/** Storage in one file. Writes go through one connection and reads through another, which sees what was acknowledged. */
export class SqliteStorage implements Storage {
  readonly #options: ConnectionOptions;
  readonly #statements = new ReadStatements('sqlite');
  #opened: Opened | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  async start(signal: AbortSignal): Promise<void> {
    const connections: Connection[] = [];
    try {
      await createFile(this.#options.file);
      signal.throwIfAborted();
      const write = await connect(this.#options, 'write');
      connections.push(write);
      // The writer waits for other processes by itself, without keeping the event loop.
      write.database.pragma('busy_timeout = 0');
      const read = await connect(this.#options, 'read');
      connections.unshift(read);
      const reads = new PreparedStatements(read.database);
      const snapshot = new SharedSnapshot(reads);
      this.#opened = {
        connections,
        reads,
        snapshot,
        writer: new GroupWriter(immediateWrites(write.database), this.#options.busyTimeoutMs, () => snapshot.end()),
        inode: (await stat(this.#options.file)).ino,
      };
    } catch (error) {
      for (const { dataSource } of connections) await dataSource.destroy();
      if (sqliteCode(error) === undefined) throw error;
      const reason = await describeOpenFailure(this.#options.file, error);
      throw new Error(`cannot open ${this.#options.file}: ${reason}`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.writer.drain();
    opened?.snapshot.end();
    for (const { dataSource } of opened?.connections ?? []) await dataSource.destroy();
  }

  async health(): Promise<Health> {
    const opened = this.#opened;
    if (opened === undefined) return { status: 'fail', detail: 'the storage is not started' };
    try {
      const { ino } = await stat(this.#options.file);
      if (ino !== opened.inode) return { status: 'fail', detail: 'the file of the database was replaced' };
      opened.reads.first({ sql: 'SELECT COUNT(*) FROM sqlite_schema', parameters: [] });
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
    // A connection of its own: TypeORM waits between statements, and no commit may slip into its transaction.
    const { dataSource, database } = await connect(this.#options, 'write');
    try {
      database.pragma('busy_timeout = 0');
      return await work(dataSource, this.#options.busyTimeoutMs);
    } catch (error) {
      throw toStorageError(error);
    } finally {
      await dataSource.destroy();
    }
  }

  async get<C extends Collection>(tenant: TenantId, collection: C, id: string): Promise<Rows[C] | undefined> {
    const reading = this.#statements.get(tenant, collection, id);
    const values = this.#read((reads) => reads.first(reading));
    return values === undefined ? undefined : await reading.read(values);
  }

  async list<C extends Collection, F extends keyof Rows[C] = keyof Rows[C]>(
    tenant: TenantId,
    collection: C,
    query: ListQuery<C, F>,
  ): Promise<Page<Pick<Rows[C], F>>> {
    const page = this.#statements.page(tenant, collection, query);
    const total = this.#statements.total(tenant, collection, query.where ?? {});
    const { found, counted } = this.#read((reads) => ({ counted: reads.first(total), found: reads.all(page) }));
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
    const found = this.#read((reads) => reads.all(reading));
    return await readRows(reading, found);
  }

  #require(): Opened {
    if (this.#opened === undefined) throw unavailable('the storage is not started');
    return this.#opened;
  }

  /** Run reads that see one state of the database. */
  #read<R>(body: (reads: PreparedStatements) => R): R {
    const { reads, snapshot } = this.#require();
    try {
      snapshot.begin();
      return body(reads);
    } catch (error) {
      throw toStorageError(error);
    }
  }
}
