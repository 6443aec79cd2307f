import { createApp } from '@patchbay/core';
import type { Notice } from '@patchbay/core/plugin';
import { commandName } from './cli/command-name.ts';
import { type ConfigReloader, createConfigReloader } from './config-reloader.ts';
import { assertCanListen, writeHealthFile } from './listening.ts';
import { loadServerConfig } from './load-server-config.ts';
import { countDroppedLines, type ServerLogger } from './logger.ts';
import { joinGroup, readMembership } from './processes/group-member.ts';
import { countProcesses } from './processes/share-config.ts';
import { startServer } from './server.ts';
import type { Stoppable } from './signals.ts';
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
export async function start(options: StartOptions): Promise<Stoppable & ConfigReloader> {
  const { config, cwd, env, logger, show, signal, isInteractive = false } = options;
  const membership = readMembership(env);
  const { announces = true } = membership ?? {};
  const loaded = await loadServerConfig({
    file: config,
    cwd,
    env,
    logger,
    ...(membership && { share: membership.count }),
  });
  logger.setLevel(loaded.server.logLevel);
  logger.redactor.hide([env['PATCHBAY_BOOTSTRAP_KEY'] ?? '']);
  if (membership === undefined) await assertCanListen(loaded.server.port, loaded.server.host);
  const count = countProcesses(loaded.server);
  if (membership === undefined && count > 1)
    return await (await import('./processes/process-group.ts')).startGroup({ count, logger, signal });
  const letsCallersIn = Object.keys(loaded.app.authenticators ?? {}).length > 0;
  if (!letsCallersIn) {
    logger.warn('no authenticator is configured: all requests are rejected');
  }
  let firstKey: string | undefined;
  const announce = (notice: Notice) => {
    // Immediately: if the start fails after this, the key must not be lost.
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
  countDroppedLines(logger, app.host.telemetry);
  try {
    signal?.throwIfAborted();
    let handsOver = false;
    const member =
      membership &&
      joinGroup(
        () => app.host.metrics(),
        () => {
          handsOver = true;
          process.kill(process.pid, 'SIGTERM');
        },
      );
    const served = member ? { ...app, host: { ...app.host, metrics: () => member.metrics() } } : app;
    const server = await startServer(served, loaded.server, { before: loaded.middleware });
    const hasBootstrapKey = Boolean(env['PATCHBAY_BOOTSTRAP_KEY']);
    const { basePath } = loaded.server;
    const command = commandName(env);
    const { file } = loaded;
    const signIn = isInteractive && server.hasConsole ? app.services.sessions.createLink() : undefined;
    const started = { url: server.url, basePath, firstKey, hasBootstrapKey, letsCallersIn, config: file, command };
    if (announces) show(welcomeText({ ...started, signIn }));
    const apply = ({ server: section, middleware }: typeof loaded) => server.configure(section, middleware);
    const reloader = createConfigReloader({
      host: app.host,
      loaded,
      cwd,
      env,
      logger,
      section: 'server',
      apply,
      share: membership?.count,
    });
    if (announces) writeHealthFile(env, `${server.url}${basePath.system}/readyz`, logger);
    logger.info('listening', { url: server.url });
    member?.listening(server.url);
    const close = async (): Promise<void> => {
      await server.close({ handsOver });
      await member?.leave();
    };
    return { ...reloader, close };
  } catch (error) {
    await app.host.stop(0);
    throw error;
  }
}
