import type { Authenticator } from './authenticator.ts';
import type { Cache } from './cache.ts';
import type { Executor } from './executor.ts';
import type { Provider } from './provider.ts';
import type { Queue } from './queue.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Router } from './router.ts';
import type { Secrets } from './secrets.ts';
import type { Storage } from './storage.ts';
import type { Telemetry } from './telemetry.ts';
import type { ToolServer } from './tool-server.ts';

/** The kinds of plugins, and the contract of each. */
export interface Kinds {
  readonly storage: Storage;
  readonly executor: Executor;
  readonly provider: Provider;
  readonly router: Router;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly cache: Cache;
  readonly queue: Queue;
  readonly telemetry: Telemetry;
  readonly secrets: Secrets;
  readonly toolServer: ToolServer;
}

export type Kind = keyof Kinds;

/**
 * The latest version of each contract. Optional additions do not change it; removing, renaming or requiring
 * something does, and needs a decision record and an upgrader for plugins of the previous version.
 */
export const contractVersions = {
  storage: 1,
  executor: 1,
  provider: 1,
  router: 1,
  authenticator: 1,
  rateLimiter: 1,
  cache: 1,
  queue: 1,
  telemetry: 1,
  secrets: 1,
  toolServer: 1,
} as const satisfies Readonly<Record<Kind, number>>;
