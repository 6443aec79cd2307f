import { type App, type AppConfig, changedOptions, PatchbayError } from '@patchbay/core';
import type { ConfigSchema } from '@patchbay/core/plugin';
import { type LoadedServerConfig, loadServerConfig } from './load-server-config.ts';
import type { ServerLogger } from './logger.ts';
import { serverConfigSchema, workerConfigSchema } from './server-config.ts';

/** The outcome of a reload. Names of options, never their values. */
export type ReloadOutcome =
  | { readonly status: 'reloaded'; readonly changed: readonly string[]; readonly needsRestart: readonly string[] }
  /** Everything is as before. `stopping`: because the process ends. */
  | { readonly status: 'refused' | 'stopping'; readonly problems: readonly string[] };

/** Reads the config file of a process again, and applies it to the process. */
export interface ConfigReloader {
  /**
   * Never rejects, and logs the outcome. Calls during a reload get the result of the next one,
   * which all of them share.
   */
  reload(): Promise<ReloadOutcome>;
}

interface ConfigReloaderOptions {
  readonly host: Pick<App['host'], 'reload'>;
  /** The config that the process was started with. */
  readonly loaded: LoadedServerConfig;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logger: ServerLogger;
  /** The section for this process. */
  readonly section: 'server' | 'worker';
  /** Applies the options outside of the app. Does not fail. */
  readonly apply: (config: LoadedServerConfig) => void;
  /** Changes a config before the process runs with it. Default: no changes. */
  readonly adapt?: (config: AppConfig) => AppConfig;
  /** Number of processes that share the config. Default: 1. */
  readonly share?: number | undefined;
  /** Whether the owner restarts automatically if needed, so that no warning is logged. Default: no. */
  readonly restarts?: boolean;
}

/** The part of the section `server` that applies to every process. */
const common: ConfigSchema = { properties: { logLevel: serverConfigSchema.properties.logLevel } };

export function createConfigReloader(options: ConfigReloaderOptions): ConfigReloader {
  const {
    host,
    loaded: started,
    cwd,
    env,
    logger,
    section,
    apply,
    adapt = (config) => config,
    restarts,
    share,
  } = options;
  let inForce = started;
  let underWay: Promise<ReloadOutcome> | undefined;
  let next: Promise<ReloadOutcome> | undefined;

  const readAndApply = async (): Promise<ReloadOutcome> => {
    const { file } = started;
    if (file === undefined) {
      throw new PatchbayError('config_invalid', 'there is no config file to reload');
    }
    let read = inForce;
    const report = await host.reload(async () => {
      read = await loadServerConfig({ file, cwd, env, logger, again: true, ...(share && { share }) });
      return adapt(read.app);
    });
    const live = sectionChanges(section, inForce, read);
    const fixed = sectionChanges(section, started, read);
    apply(read);
    logger.setLevel(read.server.logLevel);
    inForce = read;
    const changed = [...report.changed, ...live.changed];
    return { status: 'reloaded', changed, needsRestart: [...report.needsRestart, ...fixed.needsRestart] };
  };

  const reloadNow = async (): Promise<ReloadOutcome> => {
    const since = performance.now();
    try {
      const outcome = await readAndApply();
      if (outcome.status !== 'reloaded') return outcome;
      const { changed, needsRestart } = outcome;
      // Reported once everything is applied.
      if (restarts && needsRestart.length > 0) return outcome;
      logger.info('reloaded the config', { changed, ms: Math.round(performance.now() - since) });
      if (needsRestart.length > 0) logger.warn('part of the new config requires a restart', { needsRestart });
      return outcome;
    } catch (error) {
      const known = PatchbayError.is(error);
      const stopping = known && error.code === 'shutting_down';
      const problems = known ? error.message.split('\n') : ['it failed for a reason that the log has'];
      if (stopping) logger.info('the config was not reloaded', { code: error.code, problems });
      else if (known) logger.error('the config was not reloaded', { code: error.code, problems });
      else logger.error('the config was not reloaded', { error });
      return { status: stopping ? 'stopping' : 'refused', problems };
    }
  };

  const reload = async (): Promise<ReloadOutcome> => {
    if (underWay === undefined) {
      underWay = reloadNow();
      const outcome = await underWay;
      underWay = undefined;
      return outcome;
    }
    // The file may have been read before this caller changed it.
    next ??= underWay.then(() => {
      next = undefined;
      return reload();
    });
    return await next;
  };
  return { reload };
}

function sectionChanges(section: 'server' | 'worker', before: LoadedServerConfig, after: LoadedServerConfig) {
  if (section === 'server') return changedOptions(serverConfigSchema, before.server, after.server, 'server');
  const own = changedOptions(workerConfigSchema, before.worker, after.worker, 'worker');
  const { changed } = changedOptions(common, before.server, after.server, 'server');
  return { ...own, changed: [...changed, ...own.changed] };
}
