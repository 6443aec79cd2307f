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
import {
  type Counting,
  type EncodedWrite,
  executedMigrations,
  isCurrent,
  type Reading,
  ReadStatements,
  readRows,
  type Statement,
  WriteEncoder,
  WriteStatements,
} from '@patchbay/store-typeorm';
import type { MigrationMode } from '@patchbay/store-typeorm/migrations';
import type { Pool } from 'pg';
import { type ConnectOptions, checkServer, createPool } from './connect.ts';
import { describeFailure, gaveWay, toStorageError, unavailable } from './failures.ts';
import { PostgresSignals } from './postgres-signals.ts';
import { commit, PreparedQueries, Session } from './session.ts';

// If two transactions wait for each other, the server ends one, which succeeds when it is retried.
const attempts = 10;

/** Storage in PostgreSQL. Any number of processes may use one database. */
export class PostgresStorage implements Storage {
  readonly signals: PostgresSignals;
  readonly #options: ConnectOptions;
  readonly #reads = new ReadStatements('postgres');
  readonly #writes = new WriteStatements('postgres');
  readonly #encoder = new WriteEncoder('postgres');
  readonly capabilities = this.#encoder.capabilities;
  readonly #queries = new PreparedQueries();
  readonly #underWay = new Set<Promise<unknown>>();
  #pool: Pool | undefined;

  constructor(options: ConnectOptions) {
    this.#options = options;
    this.signals = new PostgresSignals(options, () => this.#pool);
  }

  async start(signal: AbortSignal): Promise<void> {
    const pool = createPool(this.#options);
    try {
      await checkServer(pool);
      signal.throwIfAborted();
      this.#pool = pool;
    } catch (error) {
      await pool.end();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.signals.stop();
    const pool = this.#pool;
    this.#pool = undefined;
    await Promise.allSettled(this.#underWay);
    await pool?.end();
  }

  async health(): Promise<Health> {
    const pool = this.#pool;
    if (pool === undefined) return { status: 'fail', detail: 'the storage is not started' };
    try {
      const { rows } = await pool.query<{ readonly: string }>(
        "SELECT current_setting('transaction_read_only') AS readonly",
      );
      if (rows[0]?.readonly === 'on') return { status: 'fail', detail: 'the server takes no writes' };
      return { status: 'pass' };
    } catch (error) {
      return { status: 'fail', detail: describeFailure(error) };
    }
  }

  async migrate(): Promise<readonly string[]> {
    return await this.#migrations('run');
  }

  async pendingMigrations(): Promise<readonly string[]> {
    return await this.#migrations('list');
  }

  async #migrations(mode: MigrationMode): Promise<readonly string[]> {
    if (await this.#isCurrent()) return [];
    const { migrate } = await import('./migrate.ts');
    return await migrate(this.#options, mode);
  }

  async #isCurrent(): Promise<boolean> {
    const pool = this.#pool ?? createPool(this.#options);
    try {
      const { rows } = await pool.query<{ readonly name: string }>(executedMigrations.sql);
      return isCurrent(rows.map(({ name }) => name));
    } catch {
      // Whatever is wrong, migrating reports it.
      return false;
    } finally {
      if (pool !== this.#pool) await pool.end();
    }
  }

  async get<C extends Collection>(tenant: TenantId, collection: C, id: string): Promise<Rows[C] | undefined> {
    const reading = this.#reads.get(tenant, collection, id);
    const [values] = await this.#read(reading);
    return values === undefined ? undefined : await reading.read(values);
  }

  async list<C extends Collection, F extends keyof Rows[C] = keyof Rows[C]>(
    tenant: TenantId,
    collection: C,
    query: ListQuery<C, F>,
  ): Promise<Page<Pick<Rows[C], F>>> {
    const page = this.#reads.page(tenant, collection, query);
    if (query.counted === false) {
      const only = await this.#read(page);
      return { rows: await readRows(page, only), total: only.length };
    }
    const list = listStatement(page, this.#reads.total(tenant, collection, query.where ?? {}, query));
    const rows = await this.#read(list);
    return { rows: await readRows(list, rows.filter(list.found)), total: list.total(rows[0] ?? [0]) };
  }

  async commit(tenant: TenantId, writes: readonly Write[]): Promise<CommitResult> {
    return await this.#use(async (pool) => {
      const encoded = this.#encoder.encode(tenant, writes);
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#commitOnce(pool, tenant, encoded);
        } catch (error) {
          if (!gaveWay(error) || attempt === attempts) throw error;
        }
      }
    });
  }

  async scanAllTenants<C extends Collection>(
    collection: C,
    where: Filter<C>,
    limit: number,
    sort?: SortField<C>,
    heads?: { readonly after?: TenantId },
  ): Promise<readonly { readonly tenant: TenantId; readonly row: Rows[C] }[]> {
    const reading = this.#reads.scan(collection, where, limit, sort, heads);
    return await readRows(reading, await this.#read(reading));
  }

  async #commitOnce(pool: Pool, tenant: TenantId, writes: readonly EncodedWrite[]): Promise<CommitResult> {
    const client = await pool.connect();
    const session = new Session(client, this.#queries);
    let broken = false;
    try {
      return await commit(session, this.#writes, tenant, writes);
    } catch (error) {
      // A connection that cannot even do this is discarded, and the server rolls back by itself.
      broken = await session.rollBack().then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async #read(statement: Statement): Promise<readonly (readonly unknown[])[]> {
    return await this.#use(async (pool) => {
      return (await pool.query<unknown[]>(this.#queries.of(statement))).rows;
    });
  }

  /** Run what needs the database; `stop` waits for it. */
  async #use<R>(body: (pool: Pool) => Promise<R>): Promise<R> {
    if (this.#pool === undefined) throw unavailable('the storage is not started');
    const work = body(this.#pool);
    this.#underWay.add(work);
    try {
      return await work;
    } catch (error) {
      throw toStorageError(error);
    } finally {
      this.#underWay.delete(work);
    }
  }
}

/**
 * A page and the number of all rows that match, as one statement, because a statement sees one state and two do not. There is one number, and rows are joined to
 * it in the order in which they come; without any there is the number alone.
 */
function listStatement<R>(page: Reading<R>, total: Counting) {
  const shift = page.parameters.length;
  const counting = total.sql.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + shift}`);
  return {
    sql: `SELECT "all"."total", "page".* FROM (SELECT COALESCE((${counting}), 0) AS "total") AS "all" LEFT JOIN (SELECT TRUE AS "found", "rows".* FROM (${page.sql}) AS "rows") AS "page" ON TRUE`,
    parameters: [...page.parameters, ...total.parameters],
    total: total.read,
    /** Whether there is a row beside the number. */
    found: (values: readonly unknown[]) => values[1] !== null,
    read: (values: readonly unknown[]) => page.read(values.slice(2)),
  };
}
