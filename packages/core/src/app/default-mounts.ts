import type { AppConfig } from '../config/app-config.ts';
import type { Plugin } from '../contracts/define-plugin.ts';
import type { Kind } from '../contracts/kinds.ts';
import { environmentSecrets } from '../defaults/environment-secrets.ts';
import { memoryCache } from '../defaults/memory-cache.ts';
import { memoryStorage } from '../defaults/memory-storage.ts';
import { silentTelemetry } from '../defaults/silent-telemetry.ts';
import { storageQueue } from '../queue/storage-queue.ts';

/** What the core brings along for kinds that are not mounted. */
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

/** The config with what the core brings along mounted where nothing else is. */
export function withDefaultMounts<C extends AppConfig>(config: C, defaults: DefaultMounts): C & AppConfig {
  const missing = Object.entries(defaults).filter(([kind]) => config[kind as 'storage'] === undefined);
  return { ...config, ...Object.fromEntries(missing.map(([kind, use]) => [kind, { use }])) };
}
