import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { consoleOperations } from '@patchbay/console';
import { type App, type ErrorCode, newId, PatchbayError } from '@patchbay/core';
import { createApi, operations, problemReply, serveMessage } from '@patchbay/http';
import type { Middleware } from 'koa';
import { createKoaApp, type KoaAppOptions } from './koa-app.ts';
import { urlOf } from './listening.ts';
import { http } from './node-http.ts';
import type { ServerConfig } from './server-config.ts';

/** A server that listens. */
export interface RunningServer {
  /** Such as `http://127.0.0.1:4810`. */
  readonly url: string;
  /** Whether it serves the page of the console, to which sign-in links lead. */
  readonly hasConsole: boolean;
  /**
   * Stop: for `drainDelayMs` only `/readyz` changes; then no new connections, requests in progress may finish, then
   * everything is aborted and the app is stopped.
   *
   * @param options `handsOver`: another process listens on the same port, so new connections end at once, and the delay is at
   * least as long as idle connections stay open.
   * @throws AggregateError with the failures of plugins that did not stop cleanly.
   */
  close(options?: { readonly handsOver?: boolean }): Promise<void>;
  /**
   * Apply other options, if the schema of the section marks them as reloadable. Requests in progress end with those
   * that they began with.
   *
   * @param before As at the start. Default: none.
   */
  configure(config: ServerConfig, before?: readonly Middleware[]): void;
}

const CHECKING_INTERVAL_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;
/** Milliseconds of silence after which TCP probes whether the client is still there. */
const KEEP_ALIVE_MS = 30_000;

/** Node closes an idle connection a second later than it told the client; the rest is for requests sent by then. */
const IDLE_MARGIN_MS = 2_000;

/** How long the last bytes of responses may take once everything else has stopped. */
const FLUSH_MS = 1_000;

/**
 * Put an app on a socket, with limits on everything that a client can be slow or wasteful with.
 *
 * @throws Error `EADDRINUSE`, `EACCES` and the like.
 *
 * @example
 * ```ts
 * import type { App } from '@patchbay/core';
 * import { type ServerConfig, startServer } from '@patchbay/server';
 *
 * export async function serve(app: App, config: ServerConfig) {
 *   const server = await startServer(app, config);
 *   console.log(server.url);
 *   process.once('SIGTERM', () => void server.close());
 * }
 * ```
 */
export async function startServer(
  app: App,
  config: ServerConfig,
  { before = [] }: Pick<KoaAppOptions, 'before'> = {},
): Promise<RunningServer> {
  let draining = false;
  const isDraining = (): boolean => draining;
  const handlerOf = (section: ServerConfig, first: readonly Middleware[]) => {
    const { basePath, trustedProxies, cors, accessLog, ...rest } = section;
    // Without an error, a missing middleware that rejects requests would admit them all.
    if (rest.middleware.length > first.length)
      throw new TypeError('the modules of server.middleware are not in `before`');
    const options = { basePath, trustedProxies, accessLog, ...(cors.origins.length > 0 && { cors }) };
    const pages = rest.console ? { operations: [...operations, ...consoleOperations], home: 'getConsole' } : {};
    if (first.length > 0)
      return createKoaApp(app, { ...options, ...pages, before: first, draining: isDraining }).callback();
    // Nothing sees the matched route or the response: requests bypass Koa, at half the cost.
    const serving = { app, api: createApi(app, { ...options, ...pages }), draining: isDraining };
    return (message: IncomingMessage, response: ServerResponse) => serveMessage(serving, message, response);
  };
  let inForce = config;
  let handle = handlerOf(config, before);
  const server = http.createServer({
    connectionsCheckingInterval: CHECKING_INTERVAL_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // For clients that wait minutes for a completion, across gateways that drop silent connections.
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    // Node responds without a body; the API says what is wrong.
    requireHostHeader: false,
  });
  limitServer(server, config);
  cutIdleConnections(server);
  // Beyond a count, Node would silently drop headers, a second Authorization among them; bytes are limited above.
  server.maxHeadersCount = 0;
  answerParserErrors(server, app);
  server.on('request', (message, response) => void handle(message, response));
  // An unknown expectation is no reason to refuse; without a listener Node does, with an empty body.
  server.on('checkExpectation', (message, response) => server.emit('request', message, response));

  server.listen(config.port, config.host);
  await once(server, 'listening');

  const close = async (handsOver: boolean): Promise<void> => {
    draining = true;
    app.host.announceStop();
    const closed = once(server, 'close');
    // The one of HTTP would also close idle connections, even those with a request in transit.
    if (handsOver) NetServer.prototype.close.call(server);
    const idleMs = handsOver ? inForce.keepAliveTimeoutMs + IDLE_MARGIN_MS : 0;
    const delayMs = Math.max(inForce.drainDelayMs, idleMs);
    if (delayMs > 0) await delay(delayMs);
    server.close();
    try {
      await app.host.stop(inForce.drainTimeoutMs);
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
    hasConsole: config.console,
    close({ handsOver = false } = {}) {
      closing ??= close(handsOver);
      return closing;
    },
    configure(next, first = []) {
      const optionsOf = ({ basePath, trustedProxies, cors, accessLog, console, middleware: modules }: ServerConfig) => {
        return { basePath, trustedProxies, cors, accessLog, console, modules };
      };
      // Modules may have been imported again.
      const isOther = first.length > 0 || !isDeepStrictEqual(optionsOf(inForce), optionsOf(next));
      if (isOther) handle = handlerOf(next, first);
      limitServer(server, next);
      inForce = next;
    },
  };
}

/** Node reads all of these when it needs them, so they apply from the next connection on. */
function limitServer(server: Server, config: ServerConfig): void {
  server.headersTimeout = config.headersTimeoutMs;
  server.requestTimeout = config.requestTimeoutMs;
  server.keepAliveTimeout = config.keepAliveTimeoutMs;
  server.maxConnections = config.maxConnections;
  server.timeout = config.idleTimeoutMs;
}

/**
 * Cut connections on which nothing has moved for a while, but not those whose client waits for us: a completion may take
 * longer than any client should be silent. A client that does not read its response is cut anyway.
 */
function cutIdleConnections(server: Server): void {
  const waiting = new WeakSet<Socket>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.add(socket);
    response.once('close', () => waiting.delete(socket));
  });
  server.on('timeout', (socket) => {
    if (waiting.has(socket) && socket.writableLength === 0) {
      // The timer of a socket fires once.
      socket.setTimeout(server.timeout);
      return;
    }
    // After a long turn of the event loop, timers run before sockets are read: a request may be there, which starts the timer again.
    const { bytesRead } = socket;
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
}

/** The code of an error for a request that did not arrive in time. */
const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** How long a connection may take to read its last response. */
const LINGER_MS = 1_000;

/**
 * Respond to what never becomes a request (bytes that are not HTTP, heads that are too large or too slow, CONNECT) with
 * problem documents and request ids as well. Node itself would respond with an empty body.
 */
function answerParserErrors(server: Server, app: App): void {
  const underWay = new WeakMap<object, { readonly message: IncomingMessage; readonly response: ServerResponse }>();
  server.on('request', (message, response) => underWay.set(message.socket, { message, response }));

  const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const current = underWay.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || socket.writableEnded) {
      socket.destroy();
    } else if (current?.message.complete && !current.response.writableFinished) {
      // The fault is in what follows a request that is still being answered: its response is the last one.
      if (!current.response.headersSent) current.response.setHeader('Connection', 'close');
    } else if (current?.response.headersSent && !current.response.writableFinished) {
      socket.destroy();
    } else {
      const [code, detail] = describe(error.code);
      answer(socket as Socket, new PatchbayError(code, detail), app);
    }
  };

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code !== TIMEOUT) {
      refuse(error, socket);
      return;
    }
    const before = underWay.get(socket);
    const hadArrived = before?.message.complete === true;
    whenRead(socket as Socket, () => {
      const current = underWay.get(socket);
      const hasArrived = current?.message.complete === true && !(current === before && hadArrived);
      if (!hasArrived) refuse(error, socket);
    });
  });

  server.on('connect', (_message, socket) => {
    const extensions = { allow: 'GET, HEAD, POST, PUT, DELETE' };
    answer(socket as Socket, new PatchbayError('method_not_allowed', 'this is not a proxy', { extensions }), app);
  });
}

/**
 * Run something once a socket has no more bytes to read. After a long pause of the process, deadlines pass before sockets
 * are read: what was sent in time may be waiting there.
 */
function whenRead(socket: Socket, run: () => void): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead > bytesRead) whenRead(socket, run);
    else run();
  });
}

function describe(code: string | undefined): [ErrorCode, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['headers_too_large', 'the head of the request is too large'];
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return ['body_too_large', 'the chunk extensions are too large'];
  if (code === TIMEOUT) return ['request_timeout', 'the request did not arrive in time'];
  return ['invalid_request', 'the request is not valid HTTP/1.1'];
}

function answer(socket: Socket, error: PatchbayError, app: App): void {
  const requestId = newId('request');
  const { status, headers, body } = problemReply(error, requestId);
  const lines = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // Not at once: closing while bytes still arrive resets the connection, and the response may be lost with it.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  app.host.logger.info('request refused', { status, code: error.code, requestId });
}
