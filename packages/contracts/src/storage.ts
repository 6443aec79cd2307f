import type { Lifecycle } from './lifecycle.ts';
import type { Collection, Filter, Row, Rows, SortField } from './rows.ts';
import type { TenantId } from './tenant.ts';

/** The rows that `list` returns, and their fields. */
export interface ListQuery<C extends Collection, F extends keyof Rows[C] = keyof Rows[C]> {
  readonly where?: Filter<C>;
  readonly sort: SortField<C>;
  readonly order: 'asc' | 'desc';
  /** The lowest value of the sorted field. Rows below it are not counted in the total either. Default: all rows. */
  readonly from?: string | number;
  /** 1 to 100. */
  readonly limit: number;
  /** Rows to skip, 0 to 10,000. Not together with `after`. */
  readonly offset?: number;
  /** Keyset pagination: return rows after this position in the sort order. Costs the same at any depth. */
  readonly after?: { readonly value: string | number; readonly id: string };
  /** Fields to read. Default: all. */
  readonly select?: readonly F[];
  /** Whether the caller needs the total. Without it, a storage may count no more than the rows that it returns. Default: true. */
  readonly counted?: boolean;
}

export interface Page<R> {
  readonly rows: readonly R[];
  /**
   * Number of rows that match `where` and `from`, including those not returned. Exact without these two; with one of them,
   * 10,000 may stand for more. For a query that is not `counted`, at least the number of `rows`.
   */
  readonly total: number;
}

/**
 * One change within a commit.
 *
 * `set` never contains `id` or `revision`: the storage increments the revision. `ifRevision` makes the change conditional
 * on the revision that the caller read.
 */
export type Write = RowWrite | CapabilityWrite;

/** A change of rows in the collections. */
export type RowWrite = RowDeletion | RowChange;

interface RowDeletion {
  readonly delete: Collection;
  readonly id: string;
  readonly ifRevision?: number;
}

type RowChange = {
  readonly [C in Collection]:
    | { readonly insert: C; readonly row: Rows[C] }
    | { readonly update: C; readonly id: string; readonly set: Changes<C>; readonly ifRevision?: number }
    | { readonly deleteWhere: C; readonly where: Filter<C> };
}[Collection];

/**
 * A change of a plugin's own data in the database of the storage, in the transaction of the commit: a job of a
 * queue with its own tables there. The plugin and the storage agree on the content; nothing else reads it. The
 * write does not affect collections. A commit in which it changes nothing is refused as `exists`.
 */
export interface CapabilityWrite {
  /** One of the `capabilities` of the storage. */
  readonly capability: string;
  readonly content: unknown;
}

/** The fields of an update. */
export type Changes<C extends Collection> = Partial<Omit<Rows[C], keyof Row>>;

/**
 * The outcome of a commit. A refusal is an expected result, not an error: nothing was written, and
 * `index` is the position of the first write that failed.
 *
 * - `exists`: an inserted id, or a unique field, is taken
 * - `missing`: there is no row to update or delete
 * - `revision`: the row is at another revision
 */
export type CommitResult =
  | { readonly done: true }
  | { readonly done: false; readonly index: number; readonly reason: 'exists' | 'missing' | 'revision' };

/** Requirements of a commit besides its writes. */
export interface CommitOptions {
  /**
   * The failures that the writes survive once the commit has resolved with `done: true`.
   *
   * - `power-loss`: a crash of the process and a loss of power. The default.
   * - `crash`: a crash of the process. A loss of power may undo the commit, with all later ones of this kind, unless a
   *   commit of the other kind followed. For data that was not acknowledged to anyone, and is written again before it
   *   is.
   *
   * A storage may guarantee more than that.
   */
  readonly survives?: 'crash' | 'power-loss';
}

/**
 * Stores everything that outlives a request.
 *
 * There is no interactive transaction. A change is a list of writes that is applied atomically, so a store
 * can combine many of them into one disk flush, and a caller cannot hold a lock across an await.
 *
 * **Durability.** When `commit` resolves with `done: true`, the writes survive a crash of the process and a loss of
 * power, unless its options ask for less. **Isolation.** Readers see a commit whole or not at all, and a `get` or `list` that starts after a commit was
 * acknowledged sees it. **Tenancy.** A row of another tenant does not exist, for reads and for writes; the same id may
 * still not be used twice.
 *
 * Methods reject with `storage_unavailable` if the database is unreachable or temporarily fails, and with an error
 * that is not a `PatchbayError` if a retry would fail again, such as a value that does not fit its field. Callers that
 * write in the background rely on the difference: they retry the former and drop the latter.
 *
 * @example
 * ```ts
 * import { tenantId } from '@patchbay/core/plugin';
 * import type { Storage } from '@patchbay/core/storage';
 *
 * async function firstPage(storage: Storage) {
 *   return await storage.list(tenantId('acme'), 'functions', {
 *     sort: 'createdAt',
 *     order: 'desc',
 *     limit: 20,
 *     select: ['id', 'name'],
 *   });
 * }
 * ```
 */
export interface Storage extends Lifecycle {
  /** Capabilities that `commit` accepts writes of. It rejects all others with a `TypeError`. Default: none. */
  readonly capabilities?: readonly string[];

  /** Notifications between processes. Default: none; other processes poll. */
  readonly signals?: StorageSignals;

  /** The row with this id, if it is the tenant's. */
  get<C extends Collection>(tenant: TenantId, collection: C, id: string): Promise<Rows[C] | undefined>;

  /** A page of rows in a total order, with the number of all matches. */
  list<C extends Collection, F extends keyof Rows[C] = keyof Rows[C]>(
    tenant: TenantId,
    collection: C,
    query: ListQuery<C, F>,
  ): Promise<Page<Pick<Rows[C], F>>>;

  /** Apply 1 to 1,000 writes, all or none, in order. */
  commit(tenant: TenantId, writes: readonly Write[], options?: CommitOptions): Promise<CommitResult>;

  /**
   * Rows of all tenants, up to `limit`, ascending by `sort` and then by id, or unordered without it: for work
   * before a tenant is known (finding a key) or without a tenant (recovery after a crash, taking jobs). The only read
   * without a tenant; the only request data that reaches it is the lookup id of a key and the hash of a session.
   *
   * @param heads Only the first row of each tenant, ascending by tenant, of those whose id is greater than `after`. Needs
   * `sort`. The cost must grow with the number of returned tenants, not with that of their rows: it is used to serve
   * tenants in turn.
   */
  scanAllTenants<C extends Collection>(
    collection: C,
    where: Filter<C>,
    limit: number,
    sort?: SortField<C>,
    heads?: { readonly after?: TenantId },
  ): Promise<readonly { readonly tenant: TenantId; readonly row: Rows[C] }[]>;

  /** Migrate the schema to the latest version. @returns The migrations that ran. Safe to call from two processes. */
  migrate(): Promise<readonly string[]>;

  /** Names of the migrations that `migrate` would run. Changes nothing. Absent: the storage has no migrations. */
  pendingMigrations?(): Promise<readonly string[]>;
}

/**
 * Notifications between the processes on one storage, such as a new job. A signal can be late or lost, so its
 * receivers also poll.
 *
 * @example
 * ```ts
 * import type { Storage } from '@patchbay/core/storage';
 *
 * function onChange(storage: Storage, look: () => void) {
 *   const listening = storage.signals?.listen((name) => {
 *     if (name === 'changed' || name === undefined) look();
 *   });
 *   return () => listening?.close();
 * }
 * ```
 */
export interface StorageSignals {
  /** Notify all processes, including this one. Never fails. @param name At most 200 characters. */
  send(name: string): void;
  /** Receive signals, starting shortly after the call. `undefined` indicates that some may have been missed. */
  listen(heard: (name: string | undefined) => void): { close(): void };
}
