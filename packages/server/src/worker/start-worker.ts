import { type AppConfig, createApp } from '@patchbay/core';
import { type Logger, PatchbayError } from '@patchbay/core/plugin';
import { assertCanListen } from '../assert-can-listen.ts';
import { type ConfigReloader, createConfigReloader } from '../config-reloader.ts';
import { writeHealthFile } from '../health-file.ts';
import { loadServerConfig } from '../load-server-config.ts';
import type { StartOptions } from '../start.ts';
import { startHealthListener } from './health-listener.ts';
import type { WorkerConfig } from './worker-config.ts';

/** `patchbay worker`, as it was typed. */
export interface WorkerCommand {
  readonly config: string | undefined;
  /** What goes before the section `worker` of the config. */
  readonly listen: Partial<Pick<WorkerConfig, 'host' | 'port'>>;
}

/** A worker that does what waits. */
export interface RunningWorker {
  /** Where it says how it is. */
  readonly url: string;
  /** Take nothing more, let what is under way finish, then abort it and stop the app. */
  close(): Promise<void>;
}

/**
 * Everything from a config file to a process that takes jobs. It is the app of the server without its API, so what a
 * job needs (models, grants, limits) is all there.
 */
export async function startWorker({
  config,
  listen,
  cwd,
  env,
  logger,
  show,
  signal,
}: StartOptions & WorkerCommand): Promise<RunningWorker & ConfigReloader> {
  const loaded = await loadServerConfig({ file: config, cwd, env, logger });
  const { host, port } = { ...loaded.worker, ...listen };
  logger.setLevel(loaded.server.logLevel);
  checkWork(loaded.app, logger);
  await assertCanListen(port, host, { host: '--host, or worker.host,', port: '--port, or worker.port,' });
  // Nobody is let in here, so nobody has to be known; and the first key is for the terminal of the server.
  const adapt = (given: AppConfig): AppConfig => ({ ...given, authenticators: {} });
  const app = await createApp(adapt(loaded.app), {
    logger,
    redactor: logger.redactor,
    env,
    directory: loaded.directory,
    ...(signal && { signal }),
  });
  try {
    signal?.throwIfAborted();
    const listener = await startHealthListener(app, { host, port });
    show(`\n  Patchbay works on what waits in the queue; ${listener.url}/readyz says how it is\n\n`);
    let { drainTimeoutMs } = loaded.worker;
    const apply = ({ worker }: typeof loaded) => {
      ({ drainTimeoutMs } = worker);
    };
    const reloader = createConfigReloader({
      host: app.host,
      loaded,
      cwd,
      env,
      logger,
      section: 'worker',
      apply,
      adapt,
    });
    writeHealthFile(env, `${listener.url}/readyz`, logger);
    logger.info('working', { url: listener.url });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      try {
        await app.host.stop(drainTimeoutMs);
      } finally {
        await listener.close();
      }
    };
    return {
      ...reloader,
      url: listener.url,
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await app.host.stop(0);
    throw error;
  }
}

function checkWork({ storage, executor }: AppConfig, logger: Logger): void {
  if (storage === undefined) {
    throw new PatchbayError('config_invalid', 'patchbay worker: without a storage in the config no job can reach it');
  }
  if (executor === undefined) logger.warn('no executor is configured: executions stay queued');
}
