import { PatchbayError } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import type { IncomingRequest, ReceivedBody } from '../incoming-request.ts';
import { bodyTooLarge } from '../input/body.ts';

/** What a host knows of a request that is not in a `Request`. */
export interface FetchHostView {
  readonly caller?: () => Principal | undefined | Promise<Principal | undefined>;
  readonly remoteAddress?: () => string | undefined;
}

/** A `Request` as the pipeline sees it. */
export class FetchRequest implements IncomingRequest {
  readonly mountPath = '';
  /** A `Request` has no head that could be malformed. */
  readonly headFault = undefined;
  readonly target: string;
  readonly #request: Request;
  readonly #host: FetchHostView;
  readonly #onDisconnect: (() => void)[] = [];
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** What was read to find out whether there is anything. */
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

  // Headers that were sent twice arrive joined; neither a token nor a scheme has a comma and a blank in it.
  headerCount(name: string): number {
    const value = this.#request.headers.get(name);
    return value === null ? 0 : value.split(', ').length;
  }

  // Hosts on top of Node hand a stream to every DELETE and POST, with or without anything in it.
  async hasBody(): Promise<boolean> {
    while (this.#first === undefined || this.#first.length === 0) {
      this.#first = await this.#read();
      if (this.#first === undefined) return false;
    }
    return true;
  }

  async readBody(limitBytes: number): Promise<ReceivedBody> {
    if (Number(this.header('content-length') ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let chunk = this.#first ?? (await this.#read()); chunk; chunk = await this.#read()) {
      size += chunk.length;
      if (size > limitBytes) {
        // The rest is of no use, and whether that can be told to whoever sends it makes no difference here.
        this.#reader?.cancel().catch(() => undefined);
        throw bodyTooLarge(limitBytes);
      }
      chunks.push(chunk);
    }
    return { bytes: joined(chunks, size) };
  }

  async #read(): Promise<Uint8Array | undefined> {
    this.#reader ??= this.#request.body?.getReader();
    try {
      return (await this.#reader?.read())?.value;
    } catch (cause) {
      throw new PatchbayError('client_closed_request', 'the connection was closed within the body', { cause });
    }
  }

  onDisconnect(listener: () => void): void {
    const { signal } = this.#request;
    this.#onDisconnect.push(listener);
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  }

  /** The client does not want the rest of the answer: some hosts tell by the signal, and some by its body only. */
  disconnect(): void {
    for (const listener of this.#onDisconnect) listener();
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first) return first;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
