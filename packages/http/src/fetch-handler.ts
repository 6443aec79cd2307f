import { Buffer } from 'node:buffer';
import { type App, PatchbayError } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import { type ApiOptions, createApi } from './api.ts';
import type { IncomingRequest, ReceivedBody } from './incoming-request.ts';
import { bodyTooLarge } from './input/body.ts';
import { isStreamed, type Streamed, type WireReply } from './output/wire.ts';

/**
 * @typeParam Host Second argument of the handler, as passed by the host: the context of Hono, the information
 *   of `Deno.serve`, the server of Bun.
 */
export interface FetchHandlerOptions<Host = unknown> extends ApiOptions {
  /** Returns the address of the peer, which a `Request` does not contain. For allow-lists of keys, and limits. */
  readonly remoteAddress?: (request: Request, host: Host) => string | undefined;
  /**
   * The caller, for hosts that authenticate requests themselves. `undefined`: the token of the request is used, as without
   * this option. Errors other than `PatchbayError` are logged and result in 500.
   */
  readonly caller?: (request: Request, host: Host) => Principal | undefined | Promise<Principal | undefined>;
}

/** Responds to a request; never rejects. */
export type FetchHandler<Host = unknown> = (
  request: Request,
  ...host: unknown extends Host ? [host?: unknown] : [host: Host]
) => Promise<Response>;

/**
 * The API as a handler for hosts with `Request` and `Response`: Hono, Next.js, Bun, Deno.
 *
 * The path of the request is used: set `basePath` under a prefix, or `mountPath` if the host strips
 * the prefix. On Node, `createNodeListener` takes a fraction of the time.
 *
 * @example
 * ```ts
 * import type { App } from '@patchbay/core';
 * import { createFetchHandler } from '@patchbay/http';
 *
 * export function routeHandlers(app: App) {
 *   const handler = createFetchHandler(app, { basePath: '/api' });
 *   return { GET: handler, POST: handler, PUT: handler, DELETE: handler };
 * }
 * ```
 */
export function createFetchHandler<Host = unknown>(
  app: App,
  options: FetchHandlerOptions<Host> = {},
): FetchHandler<Host> {
  const api = createApi(app, options);
  const { caller, remoteAddress } = options;
  return async (request, ...[given]) => {
    const host = given as Host;
    const incoming = new FetchRequest(request, {
      ...(remoteAddress && { remoteAddress: () => remoteAddress(request, host) }),
      ...(caller && { caller: () => caller(request, host) }),
    });
    return toResponse(await api.respond(incoming), request.method, () => incoming.disconnect());
  };
}

/** Facts about a request that a `Request` does not contain. */
export interface FetchHostView {
  readonly caller?: () => Principal | undefined | Promise<Principal | undefined>;
  readonly remoteAddress?: () => string | undefined;
}

/** Adapter from a `Request` to the pipeline. */
export class FetchRequest implements IncomingRequest {
  readonly mountPath = '';
  /** A `Request` has no head that could be malformed. */
  readonly headFault = undefined;
  readonly target: string;
  readonly #request: Request;
  readonly #host: FetchHostView;
  readonly #onDisconnect: (() => void)[] = [];
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** The first chunk, read to find out whether there is a body. */
  #first: Uint8Array | undefined;

  constructor(request: Request, host: FetchHostView = {}) {
    this.#request = request;
    this.#host = host;
    const { url } = request;
    const path = url.indexOf('/', url.indexOf('://') + 3);
    const fragment = url.indexOf('#');
    this.target = url.slice(path, fragment < 0 ? undefined : fragment);
  }

  get method(): string {
    return this.#request.method;
  }

  get remoteAddress(): string | undefined {
    return this.#host.remoteAddress?.();
  }

  caller(): ReturnType<IncomingRequest['caller']> {
    return this.#host.caller?.();
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  // Headers that were sent twice arrive joined; neither a token nor a scheme contains a comma and a space.
  headerCount(name: string): number {
    const value = this.#request.headers.get(name);
    return value === null ? 0 : value.split(', ').length;
  }

  // Hosts on top of Node give every DELETE and POST a stream, whether or not it is empty.
  async hasBody(): Promise<boolean> {
    while (this.#first === undefined || this.#first.length === 0) {
      this.#first = await this.#read();
      if (this.#first === undefined) return false;
    }
    return true;
  }

  async readBody(limitBytes: number, take: (bytes: number) => void): Promise<ReceivedBody> {
    if (Number(this.header('content-length') ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let chunk = this.#first ?? (await this.#read()); chunk; chunk = await this.#read()) {
      size += chunk.length;
      try {
        if (size > limitBytes) throw bodyTooLarge(limitBytes);
        take(chunk.length);
      } catch (error) {
        // The rest is not needed, and it makes no difference here whether the cancellation succeeds.
        this.#reader?.cancel().catch(() => undefined);
        throw error;
      }
      chunks.push(chunk);
    }
    const [first] = chunks;
    return { bytes: chunks.length === 1 && first ? first : Buffer.concat(chunks, size) };
  }

  async #read(): Promise<Uint8Array | undefined> {
    this.#reader ??= this.#request.body?.getReader();
    try {
      return (await this.#reader?.read())?.value;
    } catch (cause) {
      throw new PatchbayError('client_closed_request', 'the connection was closed before the end of the body', {
        cause,
      });
    }
  }

  onDisconnect(listener: () => void): void {
    const { signal } = this.#request;
    this.#onDisconnect.push(listener);
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  }

  /** The client does not want the rest of the response: some hosts report it by the signal, some only by its body. */
  disconnect(): void {
    for (const listener of this.#onDisconnect) listener();
  }
}

const encoder = new TextEncoder();

/** @param onCancel Called when the client stops reading the body of the response. */
export function toResponse({ status, headers, body }: WireReply, method: string, onCancel: () => void): Response {
  if (isStreamed(body)) return new Response(streamOf(body, onCancel), { status, headers });
  // As bytes, the body has a length that every host knows, and needs no second encoding.
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  if (bytes) headers['Content-Length'] = String(bytes.length);
  // 499 is for the log: the client has disconnected.
  return new Response(method === 'HEAD' ? null : (bytes ?? null), { status, headers });
}

/**
 * One piece per pull of the host, so that a client that reads slowly holds back the source. Not by
 * `ReadableStream.from`: it cannot stop a source that is waiting for its next piece, and not every runtime has it.
 */
function streamOf(pieces: Streamed, onCancel: () => void): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
    },
    cancel() {
      onCancel();
      // It ends once the pending piece is complete or cancelled; the host does not wait for that.
      iterator.return?.().catch(() => undefined);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
