import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { type App, PatchbayError } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import type { Api } from '../api.ts';
import type { IncomingRequest, ReceivedBody } from '../incoming-request.ts';
import { bodyTooLarge } from '../input/body.ts';
import { isStreamed, type Streamed, type WireReply } from '../output/wire.ts';

/** A request of `node:http`, with what frameworks on top of it add. */
export type NodeMessage = IncomingMessage & {
  /** Express and Connect: the target before they strip the path of a mount. */
  readonly originalUrl?: string;
  /** The body as parsed by the host. */
  readonly body?: unknown;
};

/** Facts about a request that are not in its message. */
export interface NodeHostView {
  readonly caller?: () => Principal | undefined | Promise<Principal | undefined>;
  /** The body as parsed by the host. */
  readonly body?: () => unknown;
}

/** A request of `node:http` as the pipeline sees it. */
export class NodeRequest implements IncomingRequest {
  readonly method: string;
  readonly target: string;
  readonly #message: NodeMessage;
  readonly #response: ServerResponse;
  readonly #host: NodeHostView;

  constructor(message: NodeMessage, response: ServerResponse, host: NodeHostView = {}) {
    this.#host = host;
    this.#message = message;
    this.#response = response;
    this.method = message.method ?? 'GET';
    this.target = message.url ?? '/';
  }

  get mountPath(): string {
    const { originalUrl } = this.#message;
    const { target } = this;
    if (originalUrl === undefined || originalUrl.length <= target.length) return '';
    if (!originalUrl.endsWith(target)) return '';
    // For a pattern, this is what the client sent: two leading slashes would turn it into a link to another host.
    return originalUrl.slice(0, -target.length).replace(/^\/+/, '/');
  }

  caller(): ReturnType<IncomingRequest['caller']> {
    return this.#host.caller?.();
  }

  get remoteAddress(): string | undefined {
    return this.#message.socket.remoteAddress;
  }

  peerCertificate(): Uint8Array | undefined {
    const { socket } = this.#message;
    // `authorized`: the chain was verified. Without it, a certificate is only a claim by the client.
    if (!('getPeerCertificate' in socket) || !(socket as TLSSocket).authorized) return undefined;
    return (socket as TLSSocket).getPeerCertificate().raw;
  }

  get headFault(): string | undefined {
    const hosts = this.headerCount('host');
    if (hosts > 1) return 'the request has more than one Host header';
    return hosts === 0 && this.#message.httpVersion === '1.1' ? 'the request has no Host header' : undefined;
  }

  header(name: string): string | undefined {
    return this.#message.headers[name] as string | undefined;
  }

  // `headers` keeps the first of headers that were sent twice, or joins them; only the raw list shows it.
  headerCount(name: string): number {
    const { rawHeaders } = this.#message;
    let count = 0;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const raw = rawHeaders[index];
      if (raw?.length === name.length && raw.toLowerCase() === name) count += 1;
    }
    return count;
  }

  hasBody(): boolean {
    const { headers } = this.#message;
    const length = headers['content-length'];
    return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  }

  readBody(limitBytes: number, take: (bytes: number) => void): Promise<ReceivedBody> {
    const message = this.#message;
    return message.readableEnded ? this.#bodyOfHost(limitBytes) : readNodeBody(message, limitBytes, take);
  }

  async #bodyOfHost(limitBytes: number): Promise<ReceivedBody> {
    const body = this.#host.body?.() ?? this.#message.body;
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.length : 0;
    if (Math.max(size, Number(this.header('content-length') ?? 0)) > limitBytes) throw bodyTooLarge(limitBytes);
    if (body instanceof Uint8Array) return { bytes: body };
    // No parser that this API could use turns JSON into a string: this is the body as it was sent.
    if (typeof body === 'string') return { bytes: Buffer.from(body) };
    if (body !== undefined) return { parsed: body };
    if (!this.hasBody()) return { bytes: new Uint8Array() };
    throw new Error(
      'the host has read the body of this request and left nothing behind: mount the API before its body parsers, or ' +
        'pass `body` to createNodeListener',
    );
  }

  onDisconnect(listener: () => void): void {
    const response = this.#response;
    // Identifying the caller takes time, as does a body parser of the host: the event may be over.
    if (isClosed(response)) listener();
    else {
      response.once('close', () => {
        const { writableFinished, writableEnded } = response;
        // With HTTP/2, every response is finished once it is closed.
        if (!writableFinished || !writableEnded) listener();
      });
    }
  }
}

/** Whether the response can no longer be delivered. One of HTTP/2 has neither property, only its stream does. */
function isClosed(response: ServerResponse & { readonly stream?: { readonly destroyed: boolean } }): boolean {
  return response.closed || response.destroyed || response.stream?.destroyed === true;
}

/**
 * Collect the body of a request. With events instead of iteration, which costs several times as much for small bodies
 * and destroys the connection when it is left early.
 *
 * @throws PatchbayError `body_too_large`, with the rest left unread; `client_closed_request`; what `take` throws.
 */
function readNodeBody(
  message: IncomingMessage,
  limitBytes: number,
  take: (bytes: number) => void,
): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => {
    if (Number(message.headers['content-length'] ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
    const chunks: Buffer[] = [];
    let size = 0;
    let isStopped = false;
    const keep = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) stop(bodyTooLarge(limitBytes));
      else {
        try {
          take(chunk.length);
          chunks.push(chunk);
        } catch (error) {
          stop(error as Error);
        }
      }
    };
    const stop = (error: Error) => {
      isStopped = true;
      message.off('data', keep).pause();
      reject(error);
    };
    const fail = () => {
      // Every message closes after its end, and an unused error costs as much to create as a thrown one.
      if (message.readableEnded || isStopped) return;
      stop(new PatchbayError('client_closed_request', 'the connection was closed before the end of the body'));
    };
    // The listeners stay: removing them would cost more, and without any a late error would end the process.
    message.on('data', keep).on('error', fail).on('close', fail);
    message.on('end', () => {
      resolve({ bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size) });
    });
    if (message.destroyed && !message.complete) fail();
  });
}

/** Characters of a stream. */
const WRITTEN_AT_ONCE = 16_384;

/** An API, and the host that serves it. */
export interface ServedApi {
  readonly app: Pick<App, 'host'>;
  readonly api: Pick<Api, 'respond'>;
  /** Whether responses close their connection. Default: no. */
  readonly draining?: () => boolean;
}

/**
 * Respond to a message, and end its connection if the response cannot be written. Never rejects.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import type { App } from '@patchbay/core';
 * import { createApi, serveMessage } from '@patchbay/http';
 *
 * export function serve(app: App, draining: () => boolean) {
 *   const served = { app, api: createApi(app), draining };
 *   return createServer((message, response) => void serveMessage(served, message, response));
 * }
 * ```
 */
export async function serveMessage(
  { app, api, draining }: ServedApi,
  message: NodeMessage,
  response: ServerResponse,
  host?: NodeHostView,
): Promise<void> {
  try {
    const reply = await api.respond(new NodeRequest(message, response, host));
    await sendReply(draining?.() ? { ...reply, close: true } : reply, message, response);
  } catch (error) {
    app.host.logger.error('the response could not be written', { error });
    response.destroy();
  }
}

/**
 * Write a reply to a `node:http` response.
 *
 * @example
 * ```ts
 * import type { IncomingMessage, ServerResponse } from 'node:http';
 * import { PatchbayError } from '@patchbay/core';
 * import { problemReply, sendReply } from '@patchbay/http';
 *
 * export const refuse = (message: IncomingMessage, response: ServerResponse) =>
 *   sendReply(problemReply(new PatchbayError('overloaded', 'too busy'), 'request_1'), message, response);
 * ```
 */
export async function sendReply(reply: WireReply, message: IncomingMessage, response: ServerResponse): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  const { status, headers, body } = reply;
  const unread = isBodyUnread(message);
  // HTTP/2 has no such header, and ends single requests instead.
  if ((reply.close || unread) && message.httpVersionMajor < 2) headers['Connection'] = 'close';
  if (isStreamed(body)) {
    response.writeHead(status, headers);
    return await sendStream(body, response);
  }
  if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body));
  response.writeHead(status, headers);
  if (!unread) {
    response.end(body);
    return;
  }
  // Closing a connection on which data still arrives resets it, and can lose the response with it: so the response goes
  // out first, and the connection ends when the rest has been read, or is too much.
  response.flushHeaders();
  if (body !== undefined && message.method !== 'HEAD') response.write(body);
  await discardBody(message);
  response.end();
}

async function sendStream(stream: Streamed, response: ServerResponse): Promise<void> {
  // Pieces that are available together go out together: a write to the socket costs more than making a piece. Not with
  // `cork`: in Node the end of a corked message can overtake what was written before.
  let waiting = '';
  const write = (): void => {
    const text = waiting;
    waiting = '';
    if (text !== '' && !response.destroyed) response.write(text);
  };
  try {
    for await (const piece of stream) {
      if (response.destroyed) return;
      if (typeof piece === 'string') {
        if (waiting === '') process.nextTick(write);
        waiting += piece;
        // A source that never waits would otherwise be buffered completely.
        if (waiting.length >= WRITTEN_AT_ONCE) write();
      } else {
        write();
        if (piece.length > 0) response.write(piece);
      }
      if (response.writableNeedDrain) await drained(response);
    }
    write();
    response.end();
  } catch {
    // The head has been sent, so breaking the connection is the only way left to signal an incomplete response.
    response.destroy();
  }
}

/** Resolves when the response accepts more, and rejects if it is closed first. */
async function drained(response: ServerResponse): Promise<void> {
  const closed = new AbortController();
  const onClose = (): void => closed.abort();
  response.once('close', onClose);
  try {
    await once(response, 'drain', { signal: closed.signal });
  } finally {
    response.off('close', onClose);
  }
}

/** How much of an unwanted body is read before the connection is cut, and for how long. */
const limits = { bytes: 16_777_216, milliseconds: 2_000 };

/** Whether part of the body has not been read. */
function isBodyUnread(message: IncomingMessage): boolean {
  return !message.complete && !message.readableEnded && !message.destroyed;
}

/** Read and discard the rest of a body: until it ends, a limit is reached, or the connection breaks. */
async function discardBody(message: IncomingMessage): Promise<void> {
  if (!isBodyUnread(message)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  let size = 0;
  const take = (chunk: Buffer) => {
    size += chunk.length;
    if (size > limits.bytes) resolve();
  };
  const timer = setTimeout(resolve, limits.milliseconds);
  message
    .on('data', take)
    .once('end', resolve)
    .once('close', resolve)
    .once('error', () => resolve());
  message.resume();
  await promise;
  clearTimeout(timer);
  message.off('data', take).pause();
}
