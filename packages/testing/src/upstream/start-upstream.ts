import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { serveConnection } from './connection.ts';
import type { UpstreamDialect } from './dialects/dialect.ts';
import { type KnownDialect, resolveDialect } from './dialects/resolve-dialect.ts';
import type { Reply } from './exchange.ts';
import { healthy } from './replies/healthy.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamRequest } from './upstream-request.ts';

export interface UpstreamOptions {
  /** A vendor whose API is built in, or the description of another one. */
  readonly dialect: KnownDialect | UpstreamDialect;
  /**
   * Speak TLS, with a certificate for 127.0.0.1 that its client does not trust (`self-signed`), one for another host
   * (`wrong-host`), or without ever answering the handshake (`hang`). Default: no TLS.
   */
  readonly tls?: 'self-signed' | 'wrong-host' | 'hang';
}

/**
 * Starts a server on 127.0.0.1 that behaves like a model provider, and fails in every way a provider can.
 *
 * Without a script it answers as the vendor would: chat as JSON or as a stream, tool calls, embeddings. Keys, paths and
 * required members are checked as the vendor checks them. `upstreamReplies` has the replies for a script.
 *
 * @example
 * ```ts
 * import { startUpstream, upstreamReplies } from '@patchbay/testing';
 *
 * const upstream = await startUpstream({ dialect: 'openai' });
 * upstream.script(
 *   upstreamReplies.status(429, { retryAfter: '1' }),
 *   upstreamReplies.healthy({ text: 'Good day.', usage: { outputTokens: 3 } }),
 * );
 * // ... a client of upstream.baseUrl is refused once and served from then on
 * console.log(upstream.requests[0]?.headers['authorization']);
 * await upstream.stop();
 * ```
 */
export async function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const dialect = resolveDialect(options.dialect);
  const requests: UpstreamRequest[] = [];
  const sockets = new Set<Socket>();
  const awaitingRequest: ((request: UpstreamRequest) => void)[] = [];
  const awaitingConnection: (() => void)[] = [];
  const awaitingClose: (() => void)[] = [];
  const failures: unknown[] = [];
  let connections = 0;
  let served = 0;
  let script: readonly Reply[] = [];

  const takeReply = (request: UpstreamRequest): Reply => {
    requests.push(request);
    for (const resolve of awaitingRequest.splice(0)) resolve(request);
    const [reply = healthy(), ...later] = script;
    if (later.length > 0) script = later;
    return reply;
  };

  const serve = (socket: Socket) => {
    served += 1;
    serveConnection({ socket, number: served, dialect, takeReply, onReplyFailed: (error) => failures.push(error) });
  };
  const { server, certificate } = listen(options.tls, serve);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const resolve of awaitingClose.splice(0)) resolve();
    });
    for (const resolve of awaitingConnection.splice(0)) resolve();
    if (!options.tls) serve(socket);
    // A socket that is not read does not report the end of its connection either.
    if (options.tls === 'hang') socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;

  return {
    url,
    baseUrl: url + dialect.basePath,
    certificate,
    requests,
    get connections() {
      return connections;
    },
    script(...replies) {
      script = replies;
    },
    nextRequest: () => new Promise((resolve) => awaitingRequest.push(resolve)),
    nextConnection: () => new Promise((resolve) => awaitingConnection.push(resolve)),
    openSockets: () => sockets.size,
    whenSocketsClosed: () =>
      new Promise((resolve) => {
        if (sockets.size === 0) resolve();
        else awaitingClose.push(resolve);
      }),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      if (failures.length > 0) throw new AggregateError(failures, 'a reply of the script failed');
    },
  };
}

function listen(tls: UpstreamOptions['tls'], serve: (socket: Socket) => void) {
  if (!tls || tls === 'hang') return { server: createServer(), certificate: undefined };
  const { certificate, key } = selfSignedCertificate(tls === 'wrong-host' ? 'wrong.example' : '127.0.0.1');
  return { server: createTlsServer({ cert: certificate, key }, serve), certificate };
}
