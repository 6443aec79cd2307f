import { tableOf } from '../marked-part.ts';
import { type Capacity, capacityOf, type Installation } from './capacity.ts';
import type { Costs, RequestCost, Workload } from './costs.ts';

/** Commits per second of one tenant: a disk that flushes in 0.64 ms, one at a time. */
const POSTGRES_COMMITS_PER_SECOND = 1_500;
/** Cores of the PostgreSQL server beside ten replicas. */
const POSTGRES_CORES = 16;

const workloads: readonly Workload[] = ['read', 'chat', 'streamed chat', 'execution'];

/** The cost of requests, by part. */
export function costTable({ sqlite, postgres }: Costs): string {
  const row = (what: string, { server, functions, database, commits }: RequestCost): readonly string[] => [
    what,
    micros(server),
    functions === 0 ? '' : micros(functions),
    database === 0 ? '' : micros(database),
    commits < 0.1 ? '' : commits.toFixed(1),
  ];
  return tableOf(
    ['request', 'server', 'function processes', 'PostgreSQL', 'commits'],
    [
      ...workloads.map((workload) => row(`${workload}, SQLite`, sqlite[workload])),
      ...Object.entries(postgres).map(([workload, cost]) => row(`${workload}, PostgreSQL`, cost)),
    ],
  );
}

/** Requests per second of installations, and the part that limits them. */
export function capacityTable(costs: Costs): string {
  const onSqlite = (processes: number, cores: number): Installation => ({
    serverProcesses: processes,
    cores,
    databaseCores: 0,
    commitsPerSecond: costs.sqliteRowsPerSecond,
    sharing: processes === 1 ? 1 : costs.sharing,
  });
  const replicas: Installation = {
    serverProcesses: 10,
    cores: 20,
    databaseCores: POSTGRES_CORES,
    commitsPerSecond: POSTGRES_COMMITS_PER_SECOND,
    sharing: 1,
  };
  const rows = workloads.map((workload) => {
    const cost = workload === 'streamed chat' ? undefined : costs.postgres[workload];
    return [
      workload,
      capacityText(capacityOf(costs.sqlite[workload], onSqlite(1, 1))),
      capacityText(capacityOf(costs.sqlite[workload], onSqlite(16, 16))),
      cost === undefined ? 'not measured' : capacityText(capacityOf(cost, replicas)),
    ];
  });
  return tableOf(
    ['requests per second', 'one core, SQLite', '16 cores, SQLite', 'ten replicas, PostgreSQL'],
    [
      ...rows,
      ['open streams per GB', ...Array.from({ length: 3 }, () => rounded(1_048_576 / costs.kibibytesPerStream))],
    ],
  );
}

const micros = (value: number): string => `${value.toLocaleString('en-US', { maximumFractionDigits: 0 })} µs`;

const capacityText = ({ requestsPerSecond, bottleneck }: Capacity): string =>
  `${rounded(requestsPerSecond)}: ${bottleneck}`;

/** Two digits: the costs themselves differ by a tenth from run to run. */
const rounded = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en-US');
