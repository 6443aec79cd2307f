import type { Socket } from 'node:net';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { AddressFilter } from '@patchbay/outbound/egress/address-range';
import { type Connected, openGuardedSocket } from '@patchbay/outbound/egress/open-guarded-socket';
import type { Resolve } from '@patchbay/outbound/egress/resolve-names';
import type { Agent, Dispatcher } from 'undici';
import { connectionHeaders, refused } from './fetch-request.ts';

/** A request as it is sent, including secrets. */
export interface OutgoingFetch {
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
}

export interface FetchAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** Send a request and read its complete response. @throws PatchbayError `fetch_failed`, `fetch_too_large`; the signal's reason. */
export async function sendRequest(
  connections: GuardedConnections,
  { url, method, headers, body }: OutgoingFetch,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<FetchAnswer> {
  try {
    const request = {
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers: [...headers.flat(), 'accept-encoding', 'identity'],
      body: body ?? null,
    };
    const answer = await connections.request(url.origin, request, signal);
    // It rejects when the reader stops, which needs no handling.
    answer.body.on('error', () => undefined);
    const received = Object.entries(answer.headers).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value ?? '']).map((each) => [name, each] as const),
    );
    const encoding = answer.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity' || answer.statusCode < 200 || answer.statusCode > 599) {
      answer.body.destroy();
      throw failed('the host answered in a way that was not asked for');
    }
    return {
      status: answer.statusCode,
      statusText: answer.statusText ?? '',
      headers: received.filter(([name]) => !connectionHeaders.has(name)),
      body: await readWhole(answer.body, maxBytes),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw describeFailure(error);
  }
}

async function readWhole(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    length += piece.length;
    // Leaving the loop destroys the body, and its connection.
    if (length > maxBytes) throw new PatchbayError('fetch_too_large', `the response exceeds ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** A failure in our own words: system messages contain addresses, which the code must not see. */
function describeFailure(error: unknown): PatchbayError {
  if (PatchbayError.is(error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('UND_ERR_INVALID') || code === 'UND_ERR_NOT_SUPPORTED') {
    return refused('the request cannot be sent: it has something in it that HTTP does not allow');
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return failed('the host has no address', error);
  if (/^(?:ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/u.test(code)) {
    return failed('the host has no certificate that is trusted here', error);
  }
  return failed('the host did not answer, or broke its answer off', error);
}

export function failed(detail: string, cause?: unknown): PatchbayError {
  return new PatchbayError('fetch_failed', detail, { cause });
}

const CONNECT_MS = 5_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Connections of one run. The address of each is checked when it is opened: a name is resolved once, and the checked
 * address is the one used, so that DNS rebinding has no effect.
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
    // undici itself checks the signal only after the connection is established.
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([agent.request({ ...options, origin, signal }), promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Close all connections, including those being opened. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#agent?.then((agent) => agent.destroy()).catch(() => undefined);
  }

  async #open(): Promise<Agent> {
    // Loading takes 100 ms, which servers whose functions never fetch can avoid.
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
      if (error) connected(error.code === 'EGRESS_REFUSED' ? addressRefused() : error, null);
      else connected(null, opened);
    });
    if (!socket) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

function addressRefused(): PatchbayError {
  return new PatchbayError('fetch_refused', 'the address of the host is not allowed for functions');
}
