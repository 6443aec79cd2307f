import { readJson } from '@patchbay/contracts/base/json-text';
import { providerError } from '@patchbay/contracts/provider-error';

/** The connection of a body, as far as the body controls it. */
interface BodySource {
  resume(): void;
  /** Resolves at the end of the turn of the event loop. */
  endOfTurn(): Promise<void>;
  /** The rest is not needed. */
  cancel(): void;
}

/** Bytes to buffer for a slow reader of a stream before the connection is paused. */
const HIGH_WATER_BYTES = 64 * 1024;

/** The body of a response, between the connection, which pushes, and its only reader, whole or in pieces. */
export class ResponseBody {
  readonly #source: BodySource;
  #pieces: Uint8Array[] = [];
  #waitingBytes = 0;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #error: unknown;
  #wantedWhole = false;
  #wake: (() => void) | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** Whether the connection should wait. A body that is read whole is bounded by its cap alone. */
  get full(): boolean {
    return this.#waitingBytes >= HIGH_WATER_BYTES && !this.#wantedWhole;
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#waitingBytes += piece.byteLength;
    this.#wake?.();
  }

  end(): void {
    this.#state = 'ended';
    this.#wake?.();
  }

  /** The pieces before the failure can still be read, unless `discard` is set. */
  fail(error: unknown, discard: boolean): void {
    this.#state = 'failed';
    this.#error = error;
    if (discard || this.#wantedWhole) this.#pieces = [];
    this.#wake?.();
  }

  /** All that has arrived since the last time, as one piece. */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#pieces.length === 0 && this.#state === 'open') await this.#change();
    const [first, second] = this.#pieces;
    if (!first) {
      if (this.#state === 'failed') throw this.#error;
      return { value: undefined, done: true };
    }
    // Servers send each event as a chunk, of which many arrive together: the rest costs as much for one as for all.
    const value = second ? Buffer.concat(this.#pieces) : first;
    this.#pieces = [];
    this.#waitingBytes = 0;
    this.#source.resume();
    return { value, done: false };
  }

  async readWhole(): Promise<Buffer> {
    this.#wantedWhole = true;
    this.#source.resume();
    while (this.#state === 'open') {
      await this.#change();
      await this.#source.endOfTurn();
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    if (this.#state === 'failed') throw this.#error;
    const [only] = pieces;
    if (only && pieces.length === 1) return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
    return Buffer.concat(pieces);
  }

  cancel(): void {
    this.#source.cancel();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

export interface ResponseHead {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: RawHeaders;
}

/**
 * A `Response` that costs a fraction of the platform's: `body` becomes a web stream only if it is read as one, and a
 * response that is read whole, or piece by piece by iterating over the response itself, never becomes one.
 */
export class UpstreamResponse implements Response, AsyncIterable<Uint8Array> {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly redirected = false;
  readonly type = 'basic';
  readonly headers: Headers;
  readonly #source: ResponseBody;
  readonly #hasBody: boolean;
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  #taken = false;

  constructor(head: ResponseHead, source: ResponseBody) {
    this.url = head.url;
    this.status = head.status;
    this.statusText = head.statusText;
    this.ok = head.status >= 200 && head.status < 300;
    this.headers = new UpstreamHeaders(head.headers);
    this.#source = source;
    this.#hasBody = head.status !== 204 && head.status !== 205;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (!this.#hasBody) return null;
    this.#stream ??= streamOf(this.#source);
    return this.#stream;
  }

  get bodyUsed(): boolean {
    return this.#taken || (this.#stream?.locked ?? false);
  }

  async text(): Promise<string> {
    const text = (await this.#bytes()).toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  /** @throws PatchbayError `provider_bad_response` if the body is not JSON. */
  async json(): Promise<unknown> {
    const text = await this.text();
    try {
      return (await readJson(text)).value;
    } catch (cause) {
      throw providerError('bad_response', 'the model provider sent a body that is not JSON', { cause });
    }
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#bytes());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.bytes()], { type: this.headers.get('content-type') ?? '' });
  }

  async formData(): Promise<FormData> {
    return new Response(await this.bytes(), { headers: [...this.headers] }).formData();
  }

  /** Both copies must be read, or cancelled. */
  clone(): Response {
    if (this.bodyUsed) throw new TypeError('the body was already read');
    const [mine, theirs] = this.body?.tee() ?? [undefined, null];
    this.#stream = mine;
    const { status, statusText, url } = this;
    const headers = [...this.headers];
    return Object.defineProperty(new Response(theirs, { status, statusText, headers }), 'url', { value: url });
  }

  /** The pieces of the body. Ending the iteration closes the connection. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    this.#take();
    if (this.#stream) return this.#stream[Symbol.asyncIterator]();
    const source = this.#source;
    return {
      next: () => source.next(),
      async return() {
        source.cancel();
        return { value: undefined, done: true };
      },
    };
  }

  #take(): void {
    if (this.bodyUsed) throw new TypeError('the body was already read');
    this.#taken = true;
  }

  #bytes(): Promise<Buffer> {
    this.#take();
    return this.#stream
      ? new Response(this.#stream).arrayBuffer().then((bytes) => Buffer.from(bytes))
      : this.#source.readWhole();
  }
}

function streamOf(source: ResponseBody): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { value: piece } = await source.next();
        if (piece) controller.enqueue(new Uint8Array(piece.buffer as ArrayBuffer, piece.byteOffset, piece.byteLength));
        else controller.close();
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/** Headers as the connection gives them: names in lower case. */
export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The `Headers` of a response. Creating the platform's, which checks and sorts the received ones, costs more than
 * everything else that is done with a small response: they are made only for an iteration. Like those of a `fetch`, they
 * cannot be changed.
 */
class UpstreamHeaders implements Headers {
  readonly #raw: RawHeaders;

  constructor(raw: RawHeaders) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    const value = this.#raw[name.toLowerCase()];
    if (value === undefined) return null;
    return typeof value === 'string' ? value : value.join(', ');
  }

  has(name: string): boolean {
    return this.#raw[name.toLowerCase()] !== undefined;
  }

  getSetCookie(): string[] {
    return this.#all().getSetCookie();
  }

  entries(): ReturnType<Headers['entries']> {
    return this.#all().entries();
  }

  keys(): ReturnType<Headers['keys']> {
    return this.#all().keys();
  }

  values(): ReturnType<Headers['values']> {
    return this.#all().values();
  }

  [Symbol.iterator](): ReturnType<Headers['entries']> {
    return this.entries();
  }

  forEach(visit: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this) visit.call(self, value, name, this);
  }

  append(): void {
    throw immutable();
  }

  set(): void {
    throw immutable();
  }

  delete(): void {
    throw immutable();
  }

  #all(): Headers {
    const all = new Headers();
    for (const [name, value = []] of Object.entries(this.#raw)) {
      for (const each of [value].flat()) all.append(name, each);
    }
    return all;
  }
}

const immutable = () => new TypeError('the headers of a response are immutable');
