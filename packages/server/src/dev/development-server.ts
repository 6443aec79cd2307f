import { type AppConfig, createApp } from '@patchbay/core';
import { commandName } from '../cli/command-name.ts';
import { type ConfigReloader, createConfigReloader, type ReloadOutcome } from '../config-reloader.ts';
import { describeFailure } from '../failure-text.ts';
import { assertCanListen, type ListenSettings } from '../listening.ts';
import { type LoadedServerConfig, loadServerConfig } from '../load-server-config.ts';
import { type RunningServer, startServer } from '../server.ts';
import type { StartOptions } from '../start.ts';
import { noticeText } from '../welcome.ts';
import { createRunReporter } from './run-reporter.ts';

/** Requests to a development server are not worth a long wait. */
const DRAIN_TIMEOUT_MS = 1_000;

const listenSettings = (env: NodeJS.ProcessEnv): ListenSettings => ({
  host: 'HOST',
  port: 'PORT',
  whenTaken: `stop that one, such as "npm start" or "${commandName(env)} serve", or use another port with --port`,
});

interface DevelopmentServerOptions extends StartOptions {
  readonly adapt: (config: AppConfig) => AppConfig;
  /** Folder with a folder for each function. */
  readonly root: string;
  /** @throws if the server must not listen there. */
  readonly assertHost: (host: string) => void;
}

/** A server that switches to another config, by a reload or, if that is not enough, by a restart. */
export interface DevelopmentServer extends ConfigReloader {
  readonly url: string;
  readonly loaded: LoadedServerConfig;
  /** A token that signs in to the console once. Undefined: the config has no keys. */
  createSignInLink(): string | undefined;
  close(): Promise<void>;
}

interface Running {
  readonly server: RunningServer;
  readonly loaded: LoadedServerConfig;
  readonly reloader: ConfigReloader;
  readonly createSignInLink: () => string | undefined;
}

export async function startDevelopmentServer(options: DevelopmentServerOptions): Promise<DevelopmentServer> {
  const { config: file, cwd, env, logger, assertHost } = options;
  const load = async (again: boolean): Promise<LoadedServerConfig> => {
    const loaded = await loadServerConfig({ file, cwd, env, logger, again });
    assertHost(loaded.server.host);
    return loaded;
  };
  const first = await load(false);
  let running = await begin(first, first.server.port, options);
  /** Neither the new config nor the previous one could be started. */
  let isDown = false;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  const restart = async (next: LoadedServerConfig): Promise<void> => {
    const before = running;
    const oldPort = portOf(before);
    // A port chosen by the system is kept, and with it the address that people have open in their browsers.
    const port = next.server.port === 0 ? oldPort : next.server.port;
    if (next.server.host !== before.loaded.server.host || port !== oldPort) {
      await assertCanListen(port, next.server.host, listenSettings(env));
    }
    await before.server.close();
    isDown = true;
    try {
      running = await begin(next, port, options);
    } catch (error) {
      running = await begin(before.loaded, oldPort, options);
      throw error;
    } finally {
      isDown = running === before;
    }
  };

  const reload = async (): Promise<ReloadOutcome> => {
    const since = performance.now();
    try {
      const next = await load(true);
      if (isClosed) return { status: 'stopping', problems: [] };
      const isOther = isDown || next.file !== running.loaded.file;
      const outcome: ReloadOutcome = isOther
        ? { status: 'reloaded', changed: [], needsRestart: [next.file ?? 'the built-in defaults'] }
        : await running.reloader.reload();
      if (outcome.status !== 'reloaded') return outcome;
      if (outcome.needsRestart.length === 0) {
        // The config to return to if a later one does not start.
        running = { ...running, loaded: next };
        return outcome;
      }
      const oldUrl = running.server.url;
      await restart(next);
      const { needsRestart } = outcome;
      const { url } = running.server;
      const place = url === oldUrl ? '' : `, and listens on ${url} now`;
      logger.info(`restarted with the new config${place}`, {
        needsRestart,
        ms: Math.round(performance.now() - since),
      });
      return { status: 'reloaded', changed: [...outcome.changed, ...needsRestart], needsRestart: [] };
    } catch (error) {
      const problems = describeFailure(error).text.split('\n');
      logger.error('the config was not reloaded', { problems });
      if (isDown) logger.error('the server is down until the config can be started');
      return { status: 'refused', problems };
    }
  };

  return {
    get url() {
      return running.server.url;
    },
    get loaded() {
      return running.loaded;
    },
    createSignInLink: () => running.createSignInLink(),
    async reload() {
      const turn = last.then(reload);
      last = turn;
      return await turn;
    },
    async close() {
      isClosed = true;
      await last;
      await running.server.close();
    },
  };
}

function portOf({ server }: Running): number {
  return Number(new URL(server.url).port);
}

async function begin(loaded: LoadedServerConfig, port: number, options: DevelopmentServerOptions): Promise<Running> {
  const { adapt, cwd, env, logger, show, signal } = options;
  logger.setLevel(loaded.server.logLevel);
  await assertCanListen(port, loaded.server.host, listenSettings(env));
  const app = await createApp(adapt(loaded.app), {
    logger,
    redactor: logger.redactor,
    announce: (notice) => show(noticeText(notice)),
    env,
    directory: loaded.directory,
    consumeJobs: loaded.server.consumeJobs,
    onRun: createRunReporter({ logger, root: options.root, cwd }),
    ...(signal && { signal }),
  });
  try {
    if (Object.keys(loaded.app.authenticators ?? {}).length === 0) {
      logger.warn(`no authenticator is configured: "${commandName(env)} serve" will reject all requests`);
    }
    const drain = { drainDelayMs: 0, drainTimeoutMs: Math.min(loaded.server.drainTimeoutMs, DRAIN_TIMEOUT_MS) };
    const server = await startServer(app, { ...loaded.server, ...drain, port }, { before: loaded.middleware });
    const apply = ({ server: section, middleware }: LoadedServerConfig) =>
      server.configure({ ...section, ...drain }, middleware);
    const reloader = createConfigReloader({
      host: app.host,
      loaded,
      cwd,
      env,
      logger,
      section: 'server',
      apply,
      adapt,
      restarts: true,
    });
    const createSignInLink = () => (server.hasConsole ? app.services.sessions.createLink() : undefined);
    return { server, loaded, reloader, createSignInLink };
  } catch (error) {
    await app.host.stop(0);
    throw error;
  }
}
