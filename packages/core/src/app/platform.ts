import type { Cache } from '@patchbay/contracts/cache';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { Plugin } from '@patchbay/contracts/define-plugin';
import type { Kind } from '@patchbay/contracts/kinds';
import type { Queue } from '@patchbay/contracts/queue';
import type { RootSecret } from '@patchbay/contracts/secrets';
import type { Storage } from '@patchbay/contracts/storage';
import { environmentSecrets } from '../built-in/environment-secrets.ts';
import { memoryCache } from '../built-in/memory-cache.ts';
import { memoryStorage } from '../built-in/memory-storage.ts';
import type { AppConfig } from '../config/app-config.ts';
import type { EndedRun } from '../functions/executions/run-execution.ts';
import { storageQueue } from '../queue/storage-queue.ts';
import { type Measuring, silentTelemetry } from '../telemetry/measuring.ts';

/** Plugins and facilities that live for as long as the app. */
export interface Platform {
  readonly storage: Storage;
  readonly queue: Queue;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly measuring: Measuring;
  readonly rootSecret: RootSecret;
  /** Removes the secrets of the server from a text. */
  readonly hide: (text: string) => string;
  /** Aborts when the drain deadline has passed. */
  readonly stopping: AbortSignal;
  readonly onRun: ((run: EndedRun) => void) | undefined;
}

/** Built-in plugins for kinds that are not mounted. */
export type DefaultMounts = Readonly<Partial<Record<Kind, Plugin>>>;

export function createDefaultMounts(env: Readonly<Record<string, string | undefined>>): DefaultMounts {
  return {
    storage: memoryStorage,
    cache: memoryCache,
    queue: storageQueue,
    telemetry: silentTelemetry,
    secrets: environmentSecrets(env),
  };
}

export function withDefaultMounts(config: AppConfig, defaults: DefaultMounts): AppConfig {
  const missing = Object.entries(defaults).filter(([kind]) => config[kind as 'storage'] === undefined);
  return { ...config, ...Object.fromEntries(missing.map(([kind, use]) => [kind, { use }])) };
}
