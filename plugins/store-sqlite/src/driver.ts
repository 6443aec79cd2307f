import { existsSync } from 'node:fs';
import type { TenantId } from '@patchbay/core/plugin';
import type { CommitResult, Storage } from '@patchbay/core/storage';
import type { EncodedWrite, Statement, StatementResult, Steps } from '@patchbay/store-typeorm';
import type { DataSource } from 'typeorm';

export interface ConnectionOptions {
  /** Absolute path. */
  readonly file: string;
  readonly busyTimeoutMs: number;
  readonly cacheMegabytes: number;
  readonly maxMegabytes: number | undefined;
}

/** A package that brings SQLite to Node. */
export interface SqliteDriver {
  /** @throws Error where the package is not installed, or does not work with this version of Node. */
  check(): void;
  /** Open the connections of a storage. */
  open(options: ConnectionOptions): Promise<OpenDatabase>;
  /** The rows that a statement finds, on a separate connection that leaves the file as it is. */
  look(options: ConnectionOptions, statement: Statement): Promise<readonly (readonly unknown[])[]>;
  /** Run statements on a separate connection, up to the first that fails; the rows of the last. */
  run(options: ConnectionOptions, statements: readonly Statement[]): Promise<readonly (readonly unknown[])[]>;
  /**
   * Load TypeORM and open a connection for migrations alone: it waits between statements, and no commit may slip in between.
   */
  openForMigrations(options: ConnectionOptions): Promise<DataSource>;
}

/** One connection that writes, and others that read. */
export interface OpenDatabase {
  readonly writer: Writer;
  /** Rows that each of the statements finds. All of them see one state, with everything that was acknowledged. */
  read(statements: readonly Statement[]): RowLists | Promise<RowLists>;
  close(): Promise<void>;
}

export type RowLists = readonly (readonly (readonly unknown[])[])[];

export type CommitOptions = NonNullable<Parameters<Storage['commit']>[2]>;

/** Writes the commits of a storage. */
export interface Writer {
  /** Resolves when the commit is as durable as its options require, or was refused. */
  commit(tenant: TenantId, writes: readonly EncodedWrite[], options?: CommitOptions): Promise<CommitResult>;
  /** Resolves when everything that was handed in is settled. */
  drain(): Promise<void>;
  /** Whether the last commits could not be written. */
  readonly isFailing: boolean;
  /** Write and flush something that grows the database, as a commit does; rejects where a commit would fail. */
  probe(): Promise<void>;
}

/** The connection that a `GroupWriter` writes through. It waits for other processes by itself, so SQLite must not. */
export interface WriterConnection {
  /** Run steps sequentially, synchronously or asynchronously as the driver does. */
  run<R>(steps: Steps<R>): R | Promise<R>;
  /** Absent if the driver does not report it. */
  readonly isInTransaction?: () => boolean;
  /** Whether commits from now on wait for the disk. Not within a transaction. Absent: they always do. */
  readonly setFlushing?: (isFlushing: boolean) => void;
}

/** A connection with an asynchronous driver. */
export function deferredWrites(execute: (statement: Statement) => Promise<StatementResult>): WriterConnection {
  return {
    async run(steps) {
      let step = steps.next();
      while (step.done !== true) {
        let result: StatementResult;
        try {
          result = await execute(step.value);
        } catch (error) {
          step = steps.throw(error);
          continue;
        }
        step = steps.next(result);
      }
      return step.value;
    },
  };
}

/** The use of a connection. To look is to read, once, a file that may be of something else. */
export type ConnectionRole = 'read' | 'write' | 'look';

/**
 * Whether a connection is opened for reading only. One that looks is not if there is no log: where the file has that mode, SQLite
 * makes one, and only a connection that may write removes it again. Where there is one, it would be moved into the file.
 */
export function isReadOnly({ file }: ConnectionOptions, role: ConnectionRole): boolean {
  return role === 'read' || (role === 'look' && existsSync(`${file}-wal`));
}

/** How a connection is set up, whatever the driver. */
export function pragmas({ cacheMegabytes, maxMegabytes }: ConnectionOptions, role: ConnectionRole): readonly string[] {
  if (role === 'look') return ['query_only = ON'];
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
