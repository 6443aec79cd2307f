import { once } from 'node:events';
import type Router from '@koa/router';
import { type App, type AppConfig, createApp, newId } from '@patchbay/core';
import { type Logger, PatchbayError } from '@patchbay/core/plugin';
import { problemReply, sendReply, type WireReply } from '@patchbay/http';
import Koa from 'koa';
import { type ConfigReloader, createConfigReloader } from './config-reloader.ts';
import { koaRouter } from './koa-router.ts';
import { assertCanListen, urlOf, writeHealthFile } from './listening.ts';
import { loadServerConfig } from './load-server-config.ts';
import { countDroppedLines } from './logger.ts';
import { http } from './node-http.ts';
import type { WorkerConfig } from './server-config.ts';
import type { Stoppable } from './signals.ts';
import type { StartOptions } from './start.ts';

interface WorkerOptions extends StartOptions {
  /** Overrides the section `worker` of the config. */
  readonly listen: Partial<Pick<WorkerConfig, 'host' | 'port'>>;
}

/** Something that reports its health at its address, until it is closed. */
interface Listening extends Stoppable {
  readonly url: string;
}

/**
 * Everything from a config file to a process that consumes jobs. It is the app of the server without its API, so what a
 * job needs (models, grants, limits) is all there.
 */
export async function startWorker(options: WorkerOptions): Promise<Listening & ConfigReloader> {
  const { config, listen, cwd, env, logger, show, signal } = options;
  const loaded = await loadServerConfig({ file: config, cwd, env, logger });
  const { host, port } = { ...loaded.worker, ...listen };
  logger.setLevel(loaded.server.logLevel);
  checkWork(loaded.app, logger);
  await assertCanListen(port, host, { host: '--host, or worker.host,', port: '--port, or worker.port,' });
  // A worker receives no requests, so it needs no authenticators; and the first key is for the terminal of the server.
  const adapt = (given: AppConfig): AppConfig => ({ ...given, authenticators: {} });
  const app = await createApp(adapt(loaded.app), {
    logger,
    redactor: logger.redactor,
    env,
    directory: loaded.directory,
    ...(signal && { signal }),
  });
  countDroppedLines(logger, app.host.telemetry);
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
    throw new PatchbayError('config_invalid', 'patchbay worker: the config needs a storage, through which jobs arrive');
  }
  if (executor === undefined) logger.warn('no executor is configured: executions stay queued');
}

const MAX_CONNECTIONS = 100;
const PATIENCE_MS = 5_000;

interface HealthState {
  reply: WireReply;
}

/** The parts without which a worker can do nothing. */
const needed = ['storage', 'queue', 'executor'];

/** @throws Error `EADDRINUSE`, `EACCES` and the like. */
async function startHealthListener(
  app: App,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const timeouts = { headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS, keepAliveTimeout: PATIENCE_MS };
  const koa = new Koa<HealthState>();
  koa.use(async (context, next) => {
    context.respond = false;
    context.state.reply = refusal(
      new PatchbayError('route_not_found', 'a worker serves /healthz, /readyz and /metrics only'),
    );
    await next().catch((error: unknown) => {
      context.state.reply = refusal(error);
    });
    await sendReply(context.state.reply, context.req, context.res);
  });
  koa.use(healthRoutes(app).routes());
  // A client that disconnects is not an error.
  koa.on('error', () => undefined);
  const handle = koa.callback();
  const server = http.createServer({ ...timeouts, maxHeaderSize: 16_384 }, (message, response) => {
    void handle(message, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: urlOf(server),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function healthRoutes(app: App): Router<HealthState> {
  const router = koaRouter<HealthState>();
  router.get('/healthz', ({ state }) => {
    state.reply = said(200, 'ok');
  });
  router.get('/readyz', async ({ state }) => {
    const { status, parts } = await app.host.health();
    const works = needed.every((part) => parts[part]?.status !== 'fail');
    state.reply = status !== 'draining' && works ? said(200, 'ok') : said(503, 'draining');
  });
  router.get('/metrics', async ({ state }) => {
    const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
    state.reply = { status: 200, headers, body: await app.host.metrics(), close: false };
  });
  router.all(/^\/(healthz|readyz|metrics)$/, ({ path }) => {
    throw new PatchbayError('method_not_allowed', `${path} is read-only`, { extensions: { allow: 'GET, HEAD' } });
  });
  return router;
}

function said(status: number, word: string): WireReply {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return { status, headers, body: JSON.stringify({ status: word }), close: false };
}

function refusal(error: unknown): WireReply {
  return problemReply(error, newId('request'));
}
