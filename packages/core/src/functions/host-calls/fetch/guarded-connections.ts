import type { Socket } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { PatchbayError } from '../../../contracts/errors.ts';
import type { AddressFilter } from '../../../egress/address-filter.ts';
import { type Connected, openGuardedSocket } from '../../../egress/open-guarded-socket.ts';
import type { Resolve } from '../../../egress/resolve-names.ts';

const CONNECT_MS = 5_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Connections of one run. Each is made to an address that was judged right then: a name is looked up once, and what was
 * judged is what is connected to, so that a name which changes its address in between gains nothing.
 */
export class GuardedConnections {
  readonly #isAllowed: AddressFilter;
  readonly #resolve: Resolve;
  readonly #sockets = new Set<Socket>();
  #agent: Promise<Agent> | undefined;
  #isClosed = false;

  constructor(isAllowed: AddressFilter, resolve: Resolve) {
    this.#isAllowed = isAllowed;
    this.#resolve = resolve;
  }

  /** Rejects with the reason of the signal as soon as it aborts. */
  async request(
    origin: string,
    options: Omit<Dispatcher.RequestOptions, 'origin' | 'signal'>,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    this.#agent ??= this.#open();
    const agent = await this.#agent;
    signal.throwIfAborted();
    // undici itself looks at the signal only once there is a connection.
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([agent.request({ ...options, origin, signal }), promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Close every connection, also those that are still being made. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#agent?.then((agent) => agent.destroy()).catch(() => undefined);
  }

  async #open(): Promise<Agent> {
    // Takes 100 ms to load, which a server whose functions fetch nothing never has to spend.
    const { Agent: AgentClass } = await import('undici');
    return new AgentClass({
      connect: ({ hostname, port, protocol }, connected) => {
        this.#connect({ hostname, port: Number(port), secure: protocol === 'https:' }, connected as Connected);
      },
      // The deadline is that of the call.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      pipelining: 1,
      maxRedirections: 0,
    } as Agent.Options);
  }

  #connect(
    { hostname, port, secure }: { readonly hostname: string; readonly port: number; readonly secure: boolean },
    connected: Connected,
  ): void {
    if (this.#isClosed) {
      connected(new Error('closed'), null);
      return;
    }
    const guard = { isAllowed: this.#isAllowed, resolve: this.#resolve, connectMs: CONNECT_MS };
    const socket = openGuardedSocket({ hostname, port, secure }, guard, (...[error, opened]) => {
      if (error) connected(error.code === 'EGRESS_REFUSED' ? refused() : error, null);
      else connected(null, opened);
    });
    if (!socket) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

function refused(): PatchbayError {
  return new PatchbayError('fetch_refused', 'the host has an address that functions may not reach');
}
