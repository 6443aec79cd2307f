import { createApp } from '@patchbay/core';
import type { Notice } from '@patchbay/core/plugin';
import { commandName } from './cli/command-name.ts';
import { type ConfigReloader, createConfigReloader } from './config-reloader.ts';
import { assertCanListen, writeHealthFile } from './listening.ts';
import { loadServerConfig } from './load-server-config.ts';
import type { ServerLogger } from './logger.ts';
import { type RunningServer, startServer } from './server.ts';
import { noticeText, welcomeText } from './welcome.ts';

export interface StartOptions {
  readonly config: string | undefined;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logger: ServerLogger;
  /** Shows a text to the person at the terminal. */
  readonly show: (text: string) => void;
  /** Whether a person reads what is shown. */
  readonly isInteractive?: boolean;
  /** Cancels the start. */
  readonly signal?: AbortSignal;
}

/** Everything from a config file to a server that listens. */
export async function start(options: StartOptions): Promise<RunningServer & ConfigReloader> {
  const { config, cwd, env, logger, show, signal, isInteractive = false } = options;
  const loaded = await loadServerConfig({ file: config, cwd, env, logger });
  logger.setLevel(loaded.server.logLevel);
  logger.redactor.hide([env['PATCHBAY_BOOTSTRAP_KEY'] ?? '']);
  await assertCanListen(loaded.server.port, loaded.server.host);
  const letsCallersIn = Object.keys(loaded.app.authenticators ?? {}).length > 0;
  if (!letsCallersIn) {
    logger.warn('no authenticator is configured: all requests are rejected');
  }
  let firstKey: string | undefined;
  const announce = (notice: Notice) => {
    // At once: should the start fail after this, the key must not be lost.
    show(noticeText(notice));
    firstKey ??= notice.value;
  };
  const app = await createApp(loaded.app, {
    logger,
    redactor: logger.redactor,
    announce,
    env,
    directory: loaded.directory,
    consumeJobs: loaded.server.consumeJobs,
    ...(signal && { signal }),
  });
  try {
    signal?.throwIfAborted();
    const server = await startServer(app, loaded.server, { before: loaded.middleware });
    const hasBootstrapKey = Boolean(env['PATCHBAY_BOOTSTRAP_KEY']);
    const { basePath } = loaded.server;
    const command = commandName(env);
    const { file } = loaded;
    const signIn = isInteractive && server.hasConsole ? app.services.sessions.createLink() : undefined;
    const started = { url: server.url, basePath, firstKey, hasBootstrapKey, letsCallersIn, config: file, command };
    show(welcomeText({ ...started, signIn }));
    const apply = ({ server: section, middleware }: typeof loaded) => server.configure(section, middleware);
    const reloader = createConfigReloader({ host: app.host, loaded, cwd, env, logger, section: 'server', apply });
    writeHealthFile(env, `${server.url}${basePath.system}/readyz`, logger);
    logger.info('listening', { url: server.url });
    return { ...server, ...reloader };
  } catch (error) {
    await app.host.stop(0);
    throw error;
  }
}
