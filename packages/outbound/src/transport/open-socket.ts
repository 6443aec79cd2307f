import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { longestTimer } from '@patchbay/contracts/base/clock';
import { http } from '@patchbay/contracts/base/node-http';
import type { PatchbayError } from '@patchbay/contracts/errors';
import { providerError } from '@patchbay/contracts/provider-error';
import type { AddressFilter } from '../egress/address-range.ts';
import { openGuardedSocket } from '../egress/open-guarded-socket.ts';
import { proxyAuthorization } from '../egress/proxy-rules.ts';
import { lookupBy, type Resolve } from '../egress/resolve-names.ts';

const { request } = http;

/** The TLS session that saves the next handshake with the same server a round trip. */
export interface TlsSessions {
  latest: Buffer | undefined;
}

export interface Route {
  readonly origin: URL;
  readonly resolve: Resolve;
  readonly sessions: TlsSessions;
  /** The forward proxy that connects to the origin. It also resolves the name of the origin. */
  readonly proxy: URL | undefined;
  /** The addresses that the origin may have. Default: all. */
  readonly isAllowed?: AddressFilter | undefined;
}

/** How long a connection is silent before it is probed. */
const KEEP_ALIVE_MS = 30_000;

type Connected = (...result: [null, Socket] | [Error, null]) => void;

/**
 * Opens a connection, and returns its socket before it is established, so that it can be closed while connecting.
 *
 * @returns Undefined for an address that is refused.
 */
export function openSocket(route: Route, connected: Connected): Socket | undefined {
  const { origin, resolve, sessions, proxy, isAllowed } = route;
  if (proxy === undefined) {
    if (isAllowed) return openGuarded(route, isAllowed, connected);
    const socket = isSecure(origin)
      ? openTls(targetOf(origin, resolve), sessions)
      : connectTcp(targetOf(origin, resolve));
    return whenOpen(socket, isSecure(origin), connected);
  }
  const target = targetOf(proxy, resolve);
  const first = isSecure(proxy) ? openTls(target, { latest: undefined }) : connectTcp(target);
  return whenOpen(first, isSecure(proxy), (...[error, socket]) => {
    if (error) connected(error, null);
    else if (!isSecure(origin)) connected(null, socket);
    else {
      openTunnel(socket, { origin, proxy }, (...[refusal, tunnel]) => {
        if (refusal) connected(refusal, null);
        else whenOpen(openTls({ host: hostOf(origin), socket: tunnel }, sessions), true, connected);
      });
    }
  });
}

function openGuarded({ origin, resolve }: Route, isAllowed: AddressFilter, connected: Connected): Socket | undefined {
  const { hostname, port } = origin;
  // The call has a deadline for its connection.
  const guard = { isAllowed, resolve, connectMs: longestTimer };
  return openGuardedSocket({ hostname, port: Number(port), secure: isSecure(origin) }, guard, (...[error, socket]) => {
    if (error) connected(error.code === 'EGRESS_REFUSED' ? addressRefused() : error, null);
    else connected(null, socket.setKeepAlive(true, KEEP_ALIVE_MS));
  });
}

const addressRefused = (): PatchbayError =>
  providerError('unreachable', 'the address of the host is not public, and not among those that are allowed');

const isSecure = ({ protocol }: URL): boolean => protocol === 'https:';

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

function targetOf(url: URL, resolve: Resolve) {
  const port = Number(url.port) || (isSecure(url) ? 443 : 80);
  return { host: hostOf(url), port, lookup: lookupBy(resolve), autoSelectFamily: true };
}

function whenOpen(socket: Socket, secure: boolean, connected: Connected): Socket {
  let waiting = true;
  const settle: Connected = (...result) => {
    if (!waiting) return;
    waiting = false;
    connected(...result);
  };
  return (
    socket
      .setNoDelay(true)
      // A completion may take minutes without a byte, and gateways on the path drop connections that are silent.
      .setKeepAlive(true, KEEP_ALIVE_MS)
      .once(secure ? 'secureConnect' : 'connect', () => settle(null, socket))
      .on('error', (error) => settle(error, null))
      .once('close', () => settle(new Error('closed while connecting'), null))
  );
}

function openTls(target: ConnectionOptions & { readonly host: string }, sessions: TlsSessions): Socket {
  const { host } = target;
  const socket = connectTls({
    ...target,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) ? {} : { servername: host }),
    ...(sessions.latest ? { session: sessions.latest } : {}),
  });
  return socket.on('session', (session) => {
    sessions.latest = session;
  });
}

const MAX_HEADER_BYTES = 16 * 1024;

/** Asks the proxy at the other end of a socket to connect it to an origin; `opened` is called once. */
function openTunnel(
  socket: Socket,
  { origin, proxy }: { readonly origin: URL; readonly proxy: URL },
  opened: (...result: [null, Socket] | [Error, null]) => void,
): void {
  const authority = `${origin.hostname}:${origin.port || 443}`;
  const authorization = proxyAuthorization(proxy);
  request({
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      connection: 'keep-alive',
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
    createConnection: () => socket,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
    .once('connect', ({ statusCode = 0 }, tunnel: Socket, first: Buffer) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (first.length > 0) tunnel.unshift(first);
        opened(null, tunnel);
        return;
      }
      tunnel.destroy();
      const refused = `the forward proxy refused to connect, with status ${statusCode}`;
      opened(providerError('unreachable', refused, { unsent: true }), null);
    })
    .on('error', (cause) => {
      opened(providerError('unreachable', 'the forward proxy cannot be used', { cause, unsent: true }), null);
    })
    .end();
}
