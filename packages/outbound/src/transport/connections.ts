import type { Socket } from 'node:net';
import { createTurns } from '@patchbay/contracts/base/clock';
import type { Client, Dispatcher } from 'undici';
import { proxyAuthorization } from '../egress/proxy-rules.ts';
import { openSocket, type Route } from './open-socket.ts';

export type ClientClass = typeof Client;

type SentRequest = Dispatcher.DispatchOptions & { readonly headers: readonly string[] };

/** Connections beyond this number are not kept for the next request; they are closed. */
const MAX_IDLE = 256;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * One client with one connection, used by one call at a time. An undici pool does not reveal which connection serves
 * which request, and can therefore not close one that is still being made.
 */
export class Connection {
  readonly #client: Client;
  readonly #route: Route;
  #socket: Socket | undefined;
  /** The innermost one: in a tunnel, the one that speaks to the origin. */
  #open: Socket | null = null;
  /** Bytes of `#open` up to the end of the latest response; undefined before the first one. */
  #answeredBytes: number | undefined;

  constructor(clientClass: ClientClass, route: Route) {
    this.#route = route;
    this.#client = new clientClass(route.origin, {
      connect: (_, callback) => {
        this.#answeredBytes = undefined;
        this.#socket = openSocket(route, (...result) => {
          [, this.#open] = result;
          callback(...result);
        });
      },
      // Every deadline is set by the call; undici's have a resolution of a second.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      pipelining: 1,
    });
  }

  send(request: SentRequest, handler: Dispatcher.DispatchHandler): void {
    const { origin, proxy } = this.#route;
    const isForwarded = proxy !== undefined && origin.protocol === 'http:';
    this.#client.dispatch(isForwarded ? forwarded(request, origin, proxy) : request, handler);
  }

  /** Whether its socket has served a request before, and has received nothing since. */
  get isUnanswered(): boolean {
    return this.#answeredBytes !== undefined && this.#open?.bytesRead === this.#answeredBytes;
  }

  /** A response has arrived in full; the next request can be sent. */
  answered(): void {
    this.#answeredBytes = this.#open?.bytesRead;
  }

  /** Closes the socket immediately, whether connected or connecting. */
  kill(reason: Error): void {
    // Also ends what is queued in the client; it cannot fail, but returns a promise.
    this.#client.destroy(reason).catch(() => undefined);
    this.#socket?.destroy();
  }

  /** Closes the socket once the response that is just ending has ended. */
  close(): void {
    this.#client.close().catch(() => undefined);
  }
}

/** A request for a proxy that forwards it without a tunnel: the path is a whole URL (RFC 9112, section 3.2.2). */
function forwarded(request: SentRequest, { origin }: URL, proxy: URL): SentRequest {
  const authorization = proxyAuthorization(proxy);
  const { path, headers } = request;
  return {
    ...request,
    path: origin + path,
    headers: authorization === undefined ? headers : [...headers, 'proxy-authorization', authorization],
  };
}

/** The connections to one origin: as many as there are calls, and those kept for the next ones. */
export class Connections {
  /** For what is to be done with responses: those that arrive together are read together. */
  readonly endOfTurn = createTurns();
  readonly #clientClass: ClientClass;
  readonly #route: Route;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];

  constructor(clientClass: ClientClass, route: Omit<Route, 'sessions'>) {
    this.#clientClass = clientClass;
    this.#route = { ...route, sessions: { latest: undefined } };
  }

  /** The one used last, as its socket is the most likely to be still open; otherwise a new one. */
  take(): Connection {
    return this.#idle.pop() ?? this.open();
  }

  /** A new one. */
  open(): Connection {
    const connection = new Connection(this.#clientClass, this.#route);
    this.#all.add(connection);
    return connection;
  }

  giveBack(connection: Connection): void {
    if (!this.#all.has(connection)) return;
    if (this.#idle.length < MAX_IDLE) {
      connection.answered();
      this.#idle.push(connection);
    } else {
      this.#all.delete(connection);
      connection.close();
    }
  }

  discard(connection: Connection, reason: Error = new Error('the call is over')): void {
    this.#all.delete(connection);
    connection.kill(reason);
  }

  killAll(reason: Error): void {
    this.#idle.length = 0;
    for (const connection of this.#all) this.discard(connection, reason);
  }
}
