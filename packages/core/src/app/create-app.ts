import { systemClock } from '@patchbay/contracts/base/clock';
import { errorMessage } from '@patchbay/contracts/base/error-message';
import { silentLogger } from '@patchbay/contracts/base/logger';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { RateLimiter } from '@patchbay/contracts/rate-limiter';
import { type Announce, services } from '@patchbay/contracts/services';
import type { Storage } from '@patchbay/contracts/storage';
import { createProxyRules } from '@patchbay/outbound/egress/proxy-rules';
import { createTransport } from '@patchbay/outbound/transport/create-transport';
import type { AppConfig } from '../config/app-config.ts';
import { configSecrets } from '../config/config-secrets.ts';
import { loadAppConfig } from '../config/load-mounts.ts';
import type { EndedRun } from '../functions/executions/run-execution.ts';
import { withoutConsumers, withoutSurroundings } from '../queue/queue-wrappers.ts';
import { createRedactor, type Redactor } from '../secrets/redactor.ts';
import { createMetricRegistry, measuredStorage } from '../telemetry/measuring.ts';
import { type App, appRef } from './app.ts';
import { type AppTelemetry, createAppTelemetry } from './app-telemetry.ts';
import { Container, type DependencyContainer } from './container.ts';
import { nodeVersionFault } from './node-version.ts';
import { createParts, type Part, startParts, stopParts } from './parts.ts';
import { createDefaultMounts, type Platform, withDefaultMounts } from './platform.ts';
import { createReloader } from './reload.ts';
import { RequestTracker } from './request-context.ts';
import { requireMigrated } from './require-migrated.ts';
import { openResources } from './resources.ts';
import { openRootSecret } from './root-secret.ts';
import { createRunningApp } from './running-app.ts';
import { createServices, ServicesInForce } from './services.ts';

/** Options of an app; all of them have a default. */
export interface AppOptions {
  /** Logger of the app and its plugins. Default: none. */
  readonly logger?: Logger;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Shows the operator secrets that must not be logged, such as the first API key. Default: the start fails. */
  readonly announce?: Announce;
  /**
   * A container of tsyringe into which the app and its services are registered, under `serviceToken(id)`, so that
   * classes of the host can inject them, and from which plugins resolve services that the host registered in the same way
   * there or in a parent. It serves one app: give each a `createChildContainer()`. Default: a new one.
   */
  readonly container?: DependencyContainer;
  /** Base directory of relative paths. Default: the working directory. */
  readonly directory?: string;
  /** Further folders, or `file:` URLs of modules, from which plugins are resolved by name. */
  readonly bases?: readonly string[];
  /** Redacts secrets in responses; those of the config are added to it. Default: a new one. */
  readonly redactor?: Redactor;
  /**
   * Whether this process consumes jobs of the queue, such as asynchronous executions. Default true;
   * if false, other processes on the same storage must consume them, such as `patchbay worker`.
   */
  readonly consumeJobs?: boolean;
  /** Called at the end of every run of a function, for example to show its logs to a developer. Must not throw. */
  readonly onRun?: (run: EndedRun) => void;
  /** Aborts the start: started plugins are stopped, and `createApp` rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Environment that the default secrets and the forward proxy are taken from. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Create an app from plugins and start it.
 *
 * Everything that can be validated without starting plugins is validated first and reported together. Then the storage
 * starts and is migrated, and after it all other plugins, dependencies first. If one fails, those that had
 * started are stopped, and the error names the mount and its package.
 *
 * @throws PatchbayError `config_invalid`, `plugin_not_found`, `plugin_incompatible` or `plugin_start_failed`; an Error
 *   on a Node that is too old, before anything else.
 *
 * @example
 * ```ts
 * import { createApp } from '@patchbay/core';
 *
 * const app = await createApp({ patchbay: 1 });
 * console.log((await app.host.health()).status); // ready
 * await app.host.stop();
 * ```
 */
export async function createApp(config: AppConfig, options: AppOptions = {}): Promise<App> {
  const fault = nodeVersionFault();
  if (fault !== undefined) throw new Error(fault);
  const { logger = silentLogger, clock = systemClock, directory = process.cwd(), env = process.env, signal } = options;
  signal?.throwIfAborted();
  const defaults = createDefaultMounts(env);
  const { redactor = createRedactor(), bases = [], consumeJobs = true } = options;
  const loaded = await loadAppConfig(withDefaultMounts(config, defaults), { directory, bases });
  const { startTimeoutMs, autoMigrate, executions, egress } = loaded.config;

  redactor.hide(configSecrets(loaded.config, loaded.mounts));
  const { proxyFor, secrets } = createProxyRules(egress, env);
  redactor.hide(secrets());
  const hide = (more: readonly string[]): void => redactor.hide(more);
  const rootSecret = await openRootSecret(loaded.config, { directory, logger, hide });

  const container = new Container(options.container);
  container.register(services.clock, () => clock);
  container.register(services.logger, () => logger);
  container.register(services.rootSecret, () => rootSecret);
  container.register(services.announce, () => options.announce ?? refuseToAnnounce);
  const transport = createTransport({ proxyFor });
  container.register(services.transport, () => transport);
  const registry = createMetricRegistry();
  const parts = createParts(loaded.mounts, container, { logger, directory, registry, proxyFor });
  if (config.storage === undefined) logger.warn('no storage is configured: all data is lost when this process exits');

  const stopping = new AbortController();
  let telemetry: AppTelemetry | undefined;
  try {
    const mountedStorage = container.resolve(services.storage);
    const onStarted = async (part: Part) => {
      if (part.kind !== 'storage') return;
      await (autoMigrate ? migrate(mountedStorage, logger) : requireMigrated(mountedStorage));
    };
    await startParts(parts, { timeoutMs: startTimeoutMs, logger, signal, onStarted });
    const queue = container.resolve(services.queue);
    const measured = { storage: mountedStorage, hasStoredJobs: config.queue === undefined, clock, logger };
    telemetry = createAppTelemetry(registry, container.resolve(services.telemetry), measured);
    const platform: Platform = {
      storage: measuredStorage(mountedStorage, telemetry),
      queue: consumeJobs ? withoutSurroundings(queue) : withoutConsumers(queue),
      cache: container.resolve(services.cache),
      clock,
      logger,
      measuring: telemetry,
      rootSecret,
      hide: (text) => redactor.text(text),
      stopping: stopping.signal,
      onRun: options.onRun,
    };
    const inForce = new ServicesInForce();
    const resources = openResources(platform, inForce, executions.leaseMs, rateLimiterOf(parts));
    const requests = new RequestTracker();
    const reloader = await createReloader(
      {
        mounting: { container, redactor, logger, directory, registry, proxyFor, defaults, bases },
        requests,
        inForce,
        compose: (complete, started, previous) =>
          createServices({ platform, resources, parts: started, config: complete, previous, inForce }),
        onReplaced: () => resources.executions.background.adjust(),
        measuring: telemetry,
        clock,
      },
      loaded,
      parts,
    );
    await resources.executions.background.recover();
    const facilities = { container, clock, logger, redactor, stopping, transport };
    const app = createRunningApp({ facilities, inForce, reloader, resources, requests, telemetry });
    container.register(appRef, () => app);
    return app;
  } catch (error) {
    telemetry?.stop();
    await stopParts(parts, logger);
    await transport.stop();
    throw error;
  }
}

/** Migrate the storage before it is used. */
async function migrate(storage: Storage, logger: Logger): Promise<void> {
  const migrations = await storage.migrate().catch((cause: unknown) => {
    throw new Error(`its migration failed: ${errorMessage(cause)}`, { cause });
  });
  if (migrations.length > 0) logger.info('migrated the storage', { migrations });
}

function rateLimiterOf(parts: readonly Part[]): RateLimiter | undefined {
  const part = parts.find(({ kind, state }) => kind === 'rateLimiter' && state === 'started');
  return part?.instance as RateLimiter | undefined;
}

function refuseToAnnounce(): never {
  throw new PatchbayError(
    'plugin_start_failed',
    'this host has nowhere to show a secret: pass `announce` to createApp',
  );
}
