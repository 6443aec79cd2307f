import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { PatchbayError } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import type { IncomingRequest, ReceivedBody } from '../incoming-request.ts';
import { bodyTooLarge } from '../input/body.ts';

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
