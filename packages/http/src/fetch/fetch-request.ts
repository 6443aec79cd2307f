import { PatchbayError } from '@patchbay/core';
import type { IncomingRequest, ReceivedBody } from '../incoming-request.ts';
import { bodyTooLarge } from '../input/body.ts';

/** A `Request` as the pipeline sees it. */
export class FetchRequest implements IncomingRequest {
  readonly mountPath = '';
  /** A `Request` has no head that could be malformed. */
  readonly headFault = undefined;
  readonly target: string;
  readonly remoteAddress: string | undefined;
  readonly #request: Request;

  constructor(request: Request, remoteAddress: string | undefined) {
    this.#request = request;
    this.remoteAddress = remoteAddress;
    const { url } = request;
    const path = url.indexOf('/', url.indexOf('://') + 3);
    const fragment = url.indexOf('#');
    this.target = url.slice(path, fragment < 0 ? undefined : fragment);
  }

  get method(): string {
    return this.#request.method;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  // Headers that were sent twice arrive joined; neither a token nor a scheme has a comma and a blank in it.
  headerCount(name: string): number {
    const value = this.#request.headers.get(name);
    return value === null ? 0 : value.split(', ').length;
  }

  hasBody(): boolean {
    return this.#request.body !== null;
  }

  async readBody(limitBytes: number): Promise<ReceivedBody> {
    if (Number(this.header('content-length') ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of this.#request.body ?? []) {
        size += chunk.length;
        if (size > limitBytes) throw bodyTooLarge(limitBytes);
        chunks.push(chunk);
      }
    } catch (error) {
      if (PatchbayError.is(error)) throw error;
      throw new PatchbayError('client_closed_request', 'the connection was closed within the body', { cause: error });
    }
    return { bytes: Buffer.concat(chunks, size) };
  }

  onDisconnect(listener: () => void): void {
    const { signal } = this.#request;
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  }
}
