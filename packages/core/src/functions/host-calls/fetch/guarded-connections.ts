import { lookup as systemLookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Agent, Dispatcher } from 'undici';
import { PatchbayError } from '../../../contracts/errors.ts';
import type { AddressFilter } from './address-filter.ts';

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true });

type Connected = (...result: [null, Socket] | [Error, null]) => void;

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
    const host = hostname.replace(/^\[|\]$/g, '');
    const isAddress = isIP(host) !== 0;
    // For an address nothing is looked up, so that the filter within the lookup never sees it.
    if (this.#isClosed || (isAddress && !this.#isAllowed(host))) {
      connected(refused(), null);
      return;
    }
    const options = { host, port: port || (secure ? 443 : 80), lookup: this.#lookup, autoSelectFamily: true };
    const socket = secure
      ? connectTls({ ...options, ALPNProtocols: ['http/1.1'], ...(isAddress ? {} : { servername: host }) })
      : connectTcp(options);
    this.#sockets.add(socket);
    const timer = setTimeout(() => socket.destroy(new Error('no connection in time')), CONNECT_MS);
    let isSettled = false;
    const settle: Connected = (...result) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      connected(...result);
    };
    socket
      .setNoDelay(true)
      .once(secure ? 'secureConnect' : 'connect', () => {
        if (this.#isAllowed(socket.remoteAddress ?? '')) settle(null, socket);
        else socket.destroy(refused());
      })
      .on('error', (error) => settle(error, null))
      .once('close', () => {
        this.#sockets.delete(socket);
        settle(new Error('closed while connecting'), null);
      });
  }

  readonly #lookup: LookupFunction = (hostname, { all }, answer) => {
    this.#resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        // One address that may not be reached makes the name suspicious as a whole.
        if (first === undefined || !addresses.every(({ address }) => this.#isAllowed(address))) answer(refused(), []);
        else if (all === true) answer(null, [...addresses]);
        else answer(null, first.address, first.family);
      },
      (error: Error) => answer(error, []),
    );
  };
}

function refused(): PatchbayError {
  return new PatchbayError('fetch_refused', 'the host has an address that functions may not reach');
}
