import type { Lifecycle } from './lifecycle.ts';
import type { Collection, Filter, Row, Rows, SortField } from './rows.ts';
import type { TenantId } from './tenant.ts';

/** Which rows `list` returns, and of each which fields. */
export interface ListQuery<C extends Collection, F extends keyof Rows[C] = keyof Rows[C]> {
  readonly where?: Filter<C>;
  readonly sort: SortField<C>;
  readonly order: 'asc' | 'desc';
  /** 1 to 100. */
  readonly limit: number;
  /** Rows to skip, 0 to 10,000. Not together with `after`. */
  readonly offset?: number;
  /** Keyset: return what follows this place in the sort order. Costs the same at any depth. */
  readonly after?: { readonly value: string | number; readonly id: string };
  /** Fields to read. Default: all. */
  readonly select?: readonly F[];
}

export interface Page<R> {
  readonly rows: readonly R[];
  /** Rows that match `where`, however many were returned or skipped. */
  readonly total: number;
}

/**
 * One change within a commit.
 *
 * `set` never names `id` or `revision`: the storage adds 1 to the revision. `ifRevision` makes the change depend on
 * the row still being what the caller read.
 */
export type Write = RowWrite | CapabilityWrite;

/** A change of rows in the collections. */
export type RowWrite = {
  readonly [C in Collection]:
    | { readonly insert: C; readonly row: Rows[C] }
    | { readonly update: C; readonly id: string; readonly set: Changes<C>; readonly ifRevision?: number }
    | { readonly delete: C; readonly id: string; readonly ifRevision?: number }
    | { readonly deleteWhere: C; readonly where: Filter<C> };
}[Collection];

/**
 * A change of something that a plugin keeps in the database of the storage, in the transaction of the commit: a job of a
 * queue with its own tables there. The plugin and the storage agree on the content; nothing else reads it. The
 * write touches no collection. A commit in which it changes nothing is refused as `exists`.
 */
export interface CapabilityWrite {
  /** One of the `capabilities` of the storage. */
  readonly capability: string;
  readonly content: unknown;
}

/** The fields of an update. */
export type Changes<C extends Collection> = Partial<Omit<Rows[C], keyof Row>>;

/**
 * The outcome of a commit. A refusal is an expected result, not an error: nothing at all was written then, and
 * `index` is the place, in the list of writes, of the first that could not be done.
 *
 * - `exists`: an inserted id, or a unique field, is taken
 * - `missing`: there is no row to update or delete
 * - `revision`: the row is at another revision
 */
export type CommitResult =
  | { readonly done: true }
  | { readonly done: false; readonly index: number; readonly reason: 'exists' | 'missing' | 'revision' };

/**
 * Keeps everything that outlives a request.
 *
 * There is no interactive transaction. A change is a list of writes that is applied whole or not at all, so a store
 * can put many of them into one disk flush, and a caller cannot hold a lock across a wait.
 *
 * **Durability.** When `commit` resolves with `done: true`, the writes survive a crash of the process and a loss of
 * power. **Isolation.** Readers see a commit whole or not at all, and a `get` or `list` that starts after a commit was
 * acknowledged sees it. **Tenancy.** A row of another tenant does not exist, for reads and for writes; the same id may
 * not be taken twice even so.
 *
 * Methods reject with `storage_unavailable` where the database cannot be reached or cannot do it right now, and with an error
 * that is no `PatchbayError` where it would refuse the same again, such as a value that does not fit its field. Callers that
 * write behind a request rely on the difference: what is unavailable is written later, what is refused is left out.
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

  /** Hints for other processes. Default: none, and other processes find out by polling. */
  readonly signals?: StorageSignals;

  /** The row with this id, if it is the tenant's. */
  get<C extends Collection>(tenant: TenantId, collection: C, id: string): Promise<Rows[C] | undefined>;

  /** A page of rows in a total order, with the number of all that match. */
  list<C extends Collection, F extends keyof Rows[C] = keyof Rows[C]>(
    tenant: TenantId,
    collection: C,
    query: ListQuery<C, F>,
  ): Promise<Page<Pick<Rows[C], F>>>;

  /** Apply 1 to 1,000 writes, all or none, in order. */
  commit(tenant: TenantId, writes: readonly Write[]): Promise<CommitResult>;

  /**
   * Rows of all tenants, up to `limit`, ascending by `sort` and then by id, or in no order without it: for what happens
   * before a tenant is known (finding a key) or without a tenant (recovery after a crash, taking jobs). The one read
   * without a tenant; no request reaches it with any of its data but a key's look-up id.
   *
   * @param heads Only the first row of each tenant, ascending by tenant, of those whose id is greater than `after`. Needs
   * `sort`. The cost must grow with the tenants that are returned, and not with their rows: it is used to serve tenants in turn.
   */
  scanAllTenants<C extends Collection>(
    collection: C,
    where: Filter<C>,
    limit: number,
    sort?: SortField<C>,
    heads?: { readonly after?: TenantId },
  ): Promise<readonly { readonly tenant: TenantId; readonly row: Rows[C] }[]>;

  /** Bring the schema to the newest version; the names of the migrations that ran. Safe to call from two processes. */
  migrate(): Promise<readonly string[]>;

  /** Names of the migrations that `migrate` would run. Changes nothing. Absent: the storage has no schema to bring up. */
  pendingMigrations?(): Promise<readonly string[]>;
}

/**
 * Hints between the processes on one storage, such as that there may be a job. A hint can be late or lost, so its
 * receivers poll in any case.
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
  /** Tell all processes, this one included. Never fails. @param name At most 200 characters. */
  send(name: string): void;
  /** Hear of signals from soon on. `undefined` stands for any that may have been missed. */
  listen(heard: (name: string | undefined) => void): { close(): void };
}
