import { readRecords } from '../scorecard/read-records.ts';

/** The cost of one request to each part of an installation. */
export interface RequestCost {
  /** Microseconds of CPU of one server process. */
  readonly server: number;
  /** Microseconds of CPU of function processes. */
  readonly functions: number;
  /** Microseconds of CPU of PostgreSQL; 0 on SQLite. */
  readonly database: number;
  /** Commits that a response waits for. */
  readonly commits: number;
}

/** The kinds of requests that the page sizes, as its tables name them. */
export type Workload = 'read' | 'chat' | 'streamed chat' | 'execution';

export interface Costs {
  readonly sqlite: Readonly<Record<Workload, RequestCost>>;
  readonly postgres: Readonly<Record<Exclude<Workload, 'streamed chat'>, RequestCost>>;
  /** CPU of several processes that share a port, divided by that of one. */
  readonly sharing: number;
  /** Rows that one process commits to SQLite per second with 32 writers, all on disk before they are acknowledged. */
  readonly sqliteRowsPerSecond: number;
  readonly kibibytesPerStream: number;
  readonly idleMebibytes: number;
}

/** A durable execution waits for its start and its end. */
const ROWS_OF_EXECUTION = 2;

/**
 * The measured costs.
 *
 * @param folder With the records of the scorecard.
 * @throws Error where a record lacks a figure: pages must not show old ones as if they were new.
 */
export function readCosts(folder: string): Costs {
  const figures = new Map(
    readRecords(folder).flatMap((record) =>
      record.figures.map(({ what, value }) => [`${record.name}: ${what}`, value]),
    ),
  );
  const figure = (run: string, what: string): number => {
    const value = figures.get(`${run}: ${what}`);
    if (typeof value !== 'number') throw new Error(`the record ${run} has no figure ${JSON.stringify(what)}`);
    return value;
  };
  const onSqlite = (what: string, functions = 0, commits = 0): RequestCost => ({
    server: figure('sizing', `${what}: CPU of the server`),
    functions,
    database: 0,
    commits,
  });
  const onPostgres = (what: string): RequestCost => ({
    server: figure('replicas', `${what}: CPU of a replica`),
    functions: figure('replicas', `${what}: CPU of function processes`),
    database: figure('replicas', `${what}: CPU of PostgreSQL`),
    commits: figure('replicas', `${what}: commits`),
  });
  return {
    sqlite: {
      read: onSqlite('read of a function'),
      chat: onSqlite('chat'),
      'streamed chat': onSqlite('chat, streamed in 22 pieces'),
      // Function processes are the same for each storage.
      execution: onSqlite('execution, `reuse`', onPostgres('execute, reuse').functions, ROWS_OF_EXECUTION),
    },
    postgres: {
      read: onPostgres('GET /functions/:id'),
      chat: onPostgres('chat'),
      execution: onPostgres('execute, reuse'),
    },
    sharing: figure('processes', 'CPU of a chat, 2 processes against one'),
    sqliteRowsPerSecond: figure('storage-writes', 'rows per second, 32 writers'),
    kibibytesPerStream: figure('sizing', 'memory per open stream'),
    idleMebibytes: figure('idle', 'resident memory, idle, least'),
  };
}
