import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import type { AppConfig } from '@patchbay/core';
import type { LoadedServerConfig } from '../load-server-config.ts';

/** The number of processes that a config asks for. */
export function countProcesses({ processes }: LoadedServerConfig['server']): number {
  return typeof processes === 'string' ? availableParallelism() : processes;
}

/** The faults of a config for several processes, which see only what others put into the storage. */
export function sharingFaults(config: Pick<AppConfig, 'storage' | 'rateLimiter' | 'limits'>): readonly string[] {
  const { storage, rateLimiter, limits } = config;
  if (storage === undefined)
    return ['several processes need a storage, without which each has functions and keys of its own'];
  if (rateLimiter !== undefined || limits?.off === true || nameOf(storage) in sharedLimiters) return [];
  return [`several processes need a rateLimiter that they share: for ${nameOf(storage)} there is none by default`];
}

/**
 * One process's share of what the config gives to the server: slots and warm processes of the executor, connections; and
 * the limiter that they all count in, if the config has none.
 */
export async function shareOf(loaded: LoadedServerConfig, count: number): Promise<LoadedServerConfig> {
  const { app, server } = loaded;
  if (count === 1) return loaded;
  const { executor } = app;
  const rateLimiter = app.rateLimiter ?? (await limiterFor(app));
  return {
    ...loaded,
    server: { ...server, maxConnections: share(server.maxConnections, count) },
    app: {
      ...app,
      ...(rateLimiter && { rateLimiter }),
      ...(executor && { executor: { ...executor, with: shareOfExecutor(executor, count) } }),
    },
  };
}

type Mount = Exclude<AppConfig['executor'] | AppConfig['storage'], undefined>;
type Options = Readonly<Record<string, unknown>>;

/** The limiters that count where a storage is: with their options, and created only where needed. */
const sharedLimiters: Readonly<Record<string, (options: Options) => Promise<NonNullable<AppConfig['rateLimiter']>>>> = {
  '@patchbay/store-sqlite': async ({ file }) => {
    const { default: use } = await import('@patchbay/limiter-sqlite');
    return { use, with: { file: join(dirname(String(file)), 'limits.db') } };
  },
  '@patchbay/store-postgres': async ({ url }) => {
    const { default: use } = await import('@patchbay/limiter-postgres');
    return { use, with: { url } };
  },
};

async function limiterFor({ storage, limits }: AppConfig): Promise<AppConfig['rateLimiter']> {
  if (storage === undefined || limits?.off === true) return undefined;
  return await sharedLimiters[nameOf(storage)]?.(storage.with as Options);
}

const { maxConcurrent, spares } = {
  maxConcurrent: availableParallelism() * 2,
  spares: Math.min(8, availableParallelism() * 2),
};

function shareOfExecutor(executor: NonNullable<AppConfig['executor']>, count: number): object {
  const given = { ...executor.with } as Options;
  if (nameOf(executor) !== '@patchbay/executor-deno') return given;
  const total = { maxConcurrent, spares, ...given };
  return { ...given, maxConcurrent: share(total.maxConcurrent, count), spares: share(total.spares, count) };
}

/** At least one, since a process with none could do nothing. */
function share(total: number, count: number): number {
  return Math.max(1, Math.ceil(total / count));
}

function nameOf({ use }: Mount): string {
  return typeof use === 'string' ? use : use.definition.name;
}
