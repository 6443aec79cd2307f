import { PatchbayError } from '@patchbay/contracts/errors';
import { providerError } from '@patchbay/contracts/provider-error';
import type { Dispatcher } from 'undici';
import type { Connection, Connections } from './connections.ts';
import { type DeadlineLimits, Deadlines } from './deadlines.ts';
import { type RawHeaders, ResponseBody, UpstreamResponse } from './upstream-response.ts';

/** Where a request goes. */
export interface Target {
  readonly href: string;
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

/** A request as it is sent. */
export interface OutgoingRequest {
  readonly target: Target;
  readonly method: string;
  /** Name, value, name, value, ... */
  readonly headers: string[];
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal | undefined;
  /** The signal of a `Request` follows its origin only while the `Request` is alive, so it is held. */
  readonly heldRequest: Request | undefined;
}

export interface CallLimits extends DeadlineLimits {
  readonly maxBodyBytes: number;
}

const MAX_HEADERS = 128;

/** A connection that ends later than this was not idle to the upstream, which had the request and may have started on it. */
const LONGEST_STALE_MS = 5_000;

/** Codes for a connection that the other side has ended. */
const endedByUpstream: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/**
 * One request and its response, from the connection to the last byte. It ends exactly once: complete, failed, or killed
 * by a deadline, the signal or its reader; an incomplete one closes its connection.
 *
 * An upstream may close a kept connection just as the next request is sent. It has not received that request, which is sent
 * again, once, on a new connection: no failure of the upstream, and none that a caller should see.
 *
 * The socket and the timers hold the call, and the call holds the signal, so that nothing that could end it can be
 * collected before.
 */
export class Call implements Dispatcher.DispatchHandler {
  readonly #request: OutgoingRequest;
  readonly #limits: CallLimits;
  readonly #connections: Connections;
  #connection: Connection;
  readonly #deadlines: Deadlines;
  readonly #onAbort = () => this.#kill(this.#request.signal?.reason);
  readonly #answered: PromiseWithResolvers<UpstreamResponse> = Promise.withResolvers();
  #controller: Dispatcher.DispatchController | undefined;
  #body: ResponseBody | undefined;
  #receivedBytes = 0;
  #over = false;

  constructor(request: OutgoingRequest, limits: CallLimits, connections: Connections) {
    this.#request = request;
    this.#limits = limits;
    this.#connections = connections;
    this.#connection = connections.take();
    this.#deadlines = new Deadlines(limits, (message, unsent) =>
      this.#kill(providerError('timeout', message, unsent ? { unsent } : {})),
    );
  }

  /** @throws the reason of the signal, or a `PatchbayError` of a provider. */
  async send(): Promise<UpstreamResponse> {
    this.#request.signal?.addEventListener('abort', this.#onAbort);
    this.#dispatch();
    const response = await this.#answered.promise;
    // The rest of a request runs together with that of others whose response has arrived.
    await this.#connections.endOfTurn();
    return response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#deadlines.connected();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: RawHeaders, statusText = ''): void {
    if (status < 200 || this.#over) return;
    const fault = this.#faultOfHead(status, headers);
    if (fault) {
      this.#kill(fault);
      return;
    }
    this.#body = new ResponseBody({
      resume: () => this.#resume(),
      endOfTurn: this.#connections.endOfTurn,
      cancel: () => this.#cancel(),
    });
    const { href } = this.#request.target;
    this.#answered.resolve(new UpstreamResponse({ url: href, status, statusText, headers }, this.#body));
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#over || !this.#body) return;
    this.#receivedBytes += piece.byteLength;
    if (this.#receivedBytes > this.#limits.maxBodyBytes) {
      this.#kill(this.#tooLarge());
      return;
    }
    this.#deadlines.progress();
    this.#body.push(piece);
    if (!this.#body.full) return;
    controller.pause();
    this.#deadlines.pause();
  }

  onResponseEnd(): void {
    if (!this.#finish()) return;
    this.#connections.giveBack(this.#connection);
    this.#body?.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#isStale(error)) {
      this.#sendAgain();
      return;
    }
    const got = this.#body ? 'response' : this.#controller ? 'connection' : 'nothing';
    this.#fail(transportFault(error, got), false);
  }

  #dispatch(): void {
    const { target, method, headers, body } = this.#request;
    this.#connection.send({ path: target.path, method, headers, body }, this);
  }

  #isStale(error: Error): boolean {
    return (
      !this.#over &&
      this.#connection.isUnanswered &&
      endedByUpstream.has((error as NodeJS.ErrnoException).code ?? '') &&
      this.#deadlines.elapsedMs() < LONGEST_STALE_MS
    );
  }

  #sendAgain(): void {
    this.#connections.discard(this.#connection);
    // Other kept connections may be just as old.
    this.#connection = this.#connections.open();
    this.#controller = undefined;
    this.#deadlines.reconnecting();
    this.#dispatch();
  }

  #faultOfHead(status: number, headers: RawHeaders): Error | undefined {
    if (status >= 300 && status < 400) {
      return providerError('redirect', `the model provider responded with ${status}`, { status });
    }
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      return providerError('bad_response', 'the model provider sent a compressed response that was not requested', {
        status,
      });
    }
    if (Object.keys(headers).length > MAX_HEADERS) {
      return providerError('bad_response', 'the model provider sent too many headers', { status });
    }
    return Number(headers['content-length'] ?? 0) > this.#limits.maxBodyBytes ? this.#tooLarge() : undefined;
  }

  #tooLarge(): Error {
    return providerError('bad_response', `the model provider sent more than ${this.#limits.maxBodyBytes} bytes`);
  }

  #resume(): void {
    if (this.#over || !this.#controller?.paused) return;
    this.#deadlines.progress();
    this.#controller.resume();
  }

  #cancel(): void {
    // Readers also cancel bodies that they have read completely, and creating an error is slow.
    if (!this.#over) this.#kill(providerError('bad_response', 'the response was cancelled'));
  }

  #kill(reason: unknown): void {
    this.#fail(reason, true);
  }

  #fail(error: unknown, discard: boolean): void {
    if (!this.#finish()) return;
    this.#connections.discard(this.#connection);
    if (this.#body) this.#body.fail(error, discard);
    else this.#answered.reject(error);
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#deadlines.clear();
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

/** Codes of undici for a request that it refuses to send, such as one with a line break in a header. */
const unsendable: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

/**
 * The error that `fetch` throws for a connection error.
 *
 * @param got How far the request got.
 */
function transportFault(error: unknown, got: 'nothing' | 'connection' | 'response'): Error {
  if (PatchbayError.is(error)) return error;
  const { name, code = '', message } = error as NodeJS.ErrnoException;
  if (unsendable.has(code)) return new TypeError(`the request cannot be sent: ${message}`, { cause: error });
  if (code === 'ETIMEDOUT') return providerError('timeout', 'the connection to the model provider went silent');
  if (name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return providerError('bad_response', 'the model provider sent invalid HTTP', { cause: error });
  }
  if (got === 'response') {
    const message = 'the model provider closed the connection before the end of its response';
    return providerError('bad_response', message, { cause: error });
  }
  const unsent = got === 'nothing' ? { unsent: true } : {};
  return providerError('unreachable', 'the model provider cannot be reached', { cause: error, ...unsent });
}
