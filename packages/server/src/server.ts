import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '@patchbay/core';
import { createKoaApp } from './koa-app.ts';
import { answerParserErrors } from './parser-errors.ts';
import type { ServerConfig } from './server-config.ts';
import { urlOf } from './url-of.ts';

/** A server that listens. */
export interface RunningServer {
  /** Such as `http://127.0.0.1:4810`. */
  readonly url: string;
  /**
   * Stop: for `drainDelayMs` only `/readyz` changes; then no new connections, requests under way may finish, then
   * everything is aborted and the app is stopped.
   *
   * @throws AggregateError with the failures of plugins that did not stop cleanly.
   */
  close(): Promise<void>;
}

const CHECKING_INTERVAL_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;

/** How long the last bytes of answers may take once everything else has stopped. */
const FLUSH_MS = 1_000;

/**
 * Put an app on a socket, with limits on everything that a client can be slow or wasteful with.
 *
 * @throws Error `EADDRINUSE`, `EACCES` and the like.
 */
export async function startServer(app: App, config: ServerConfig): Promise<RunningServer> {
  let draining = false;
  const koa = createKoaApp(app, {
    basePath: config.basePath,
    trustedProxies: config.trustedProxies,
    draining: () => draining,
  });
  const handle = koa.callback();
  const server = createHttpServer({
    headersTimeout: config.headersTimeoutMs,
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: config.keepAliveTimeoutMs,
    connectionsCheckingInterval: CHECKING_INTERVAL_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node answers without a body; the API says what is wrong.
    requireHostHeader: false,
  });
  server.maxConnections = config.maxConnections;
  server.timeout = config.idleTimeoutMs;
  // Beyond a count, Node would drop headers without a word, a second Authorization among them; bytes are limited above.
  server.maxHeadersCount = 0;
  answerParserErrors(server, app);
  server.on('request', (message, response) => void handle(message, response));
  // An unknown expectation is no reason to refuse; without a listener Node does, with an empty body.
  server.on('checkExpectation', (message, response) => server.emit('request', message, response));

  server.listen(config.port, config.host);
  await once(server, 'listening');

  const close = async (): Promise<void> => {
    draining = true;
    app.announceStop();
    if (config.drainDelayMs > 0) await delay(config.drainDelayMs);
    const closed = once(server, 'close');
    server.close();
    try {
      await app.stop(config.drainTimeoutMs);
    } finally {
      const timer = setTimeout(() => server.closeAllConnections(), FLUSH_MS);
      server.closeIdleConnections();
      await closed;
      clearTimeout(timer);
    }
  };
  let closing: Promise<void> | undefined;
  return {
    url: urlOf(server),
    close() {
      closing ??= close();
      return closing;
    },
  };
}
