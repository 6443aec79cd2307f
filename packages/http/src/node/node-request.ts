import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingRequest, ReceivedBody } from '../incoming-request.ts';
import { readNodeBody } from './read-node-body.ts';

/** A request of `node:http`, with what frameworks on top of it leave behind. */
export type NodeMessage = IncomingMessage & {
  /** Express and Connect: the target before they cut off the path of a mount. */
  readonly originalUrl?: string;
  /** What a body parser of the host made of the body. */
  readonly body?: unknown;
};

/** A request of `node:http` as the pipeline sees it. */
export class NodeRequest implements IncomingRequest {
  readonly method: string;
  readonly target: string;
  readonly #message: NodeMessage;
  readonly #response: ServerResponse;

  constructor(message: NodeMessage, response: ServerResponse) {
    this.#message = message;
    this.#response = response;
    this.method = message.method ?? 'GET';
    this.target = message.url ?? '/';
  }

  get mountPath(): string {
    const { originalUrl } = this.#message;
    const { target } = this;
    if (originalUrl === undefined || originalUrl.length <= target.length) return '';
    return originalUrl.endsWith(target) ? originalUrl.slice(0, -target.length) : '';
  }

  get remoteAddress(): string | undefined {
    return this.#message.socket.remoteAddress;
  }

  get headFault(): string | undefined {
    const hosts = this.headerCount('host');
    if (hosts > 1) return 'the request has more than one Host header';
    return hosts === 0 && this.#message.httpVersion === '1.1' ? 'the request has no Host header' : undefined;
  }

  header(name: string): string | undefined {
    return this.#message.headers[name] as string | undefined;
  }

  // Of headers that were sent twice, `headers` keeps the first or joins them; only the raw list shows it.
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

  async readBody(limitBytes: number): Promise<ReceivedBody> {
    const { body, readableEnded } = this.#message;
    if (!readableEnded || body === undefined) return { bytes: await readNodeBody(this.#message, limitBytes) };
    return body instanceof Uint8Array ? { bytes: body } : { parsed: body };
  }

  onDisconnect(listener: () => void): void {
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) listener();
    });
  }
}
