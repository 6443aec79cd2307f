import type { RequestCost } from './costs.ts';

/** An installation that requests are sent to. */
export interface Installation {
  /** Processes that serve requests, each on a core of its own where there are enough. */
  readonly serverProcesses: number;
  /** Cores of the machines that run the servers and their functions. */
  readonly cores: number;
  /** Cores of PostgreSQL; 0 where the servers use SQLite. */
  readonly databaseCores: number;
  /** Commits per second that are on disk before they are acknowledged. */
  readonly commitsPerSecond: number;
  /** By how much more CPU a request takes than in a single process. */
  readonly sharing: number;
}

export interface Capacity {
  readonly requestsPerSecond: number;
  /** The part that is exhausted first. */
  readonly bottleneck: 'server processes' | 'cores' | 'PostgreSQL' | 'commits';
}

/** The load at which one process or core may be missing, and bursts fit. */
const SUSTAINED_LOAD = 0.6;

/** Requests per second that an installation sustains if all are of one kind. */
export function capacityOf(cost: RequestCost, installation: Installation): Capacity {
  const { serverProcesses, cores, databaseCores, commitsPerSecond, sharing } = installation;
  const server = cost.server * sharing;
  const perSecond = (available: number, microseconds: number): number =>
    microseconds === 0 ? Number.POSITIVE_INFINITY : (available * SUSTAINED_LOAD * 1e6) / microseconds;
  const limits: readonly Capacity[] = [
    { bottleneck: 'server processes', requestsPerSecond: perSecond(serverProcesses, server) },
    { bottleneck: 'cores', requestsPerSecond: perSecond(cores, server + cost.functions) },
    {
      bottleneck: 'PostgreSQL',
      requestsPerSecond: databaseCores === 0 ? Number.POSITIVE_INFINITY : perSecond(databaseCores, cost.database),
    },
    {
      bottleneck: 'commits',
      requestsPerSecond: cost.commits === 0 ? Number.POSITIVE_INFINITY : commitsPerSecond / cost.commits,
    },
  ];
  return limits.reduce((least, limit) => (limit.requestsPerSecond < least.requestsPerSecond ? limit : least));
}
