import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type App, type ErrorCode, newId, PatchbayError } from '@patchbay/core';
import { problemReply } from '@patchbay/http';
import { http } from './node-http.ts';

/** The code of an error for a request that did not arrive in time. */
const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** How long a connection may take to read its last response. */
const LINGER_MS = 1_000;

/**
 * Respond to what never becomes a request (bytes that are not HTTP, heads that are too large or too slow, CONNECT) with
 * problem documents and request ids as well. Node itself would respond with an empty body.
 */
export function answerParserErrors(server: Server, app: App): void {
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
