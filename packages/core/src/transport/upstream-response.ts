import { providerError } from '../contracts/provider-error.ts';
import type { ResponseBody } from './response-body.ts';

export interface ResponseHead {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * A `Response` that costs a fraction of the platform's: `headers` and `body` become web objects only where somebody
 * asks for them, and an answer that is read whole never becomes a stream.
 */
export class UpstreamResponse implements Response {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly redirected = false;
  readonly type = 'basic';
  readonly #rawHeaders: ResponseHead['headers'];
  readonly #source: ResponseBody;
  readonly #hasBody: boolean;
  #headers: Headers | undefined;
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  #readWhole = false;

  constructor(head: ResponseHead, source: ResponseBody) {
    this.url = head.url;
    this.status = head.status;
    this.statusText = head.statusText;
    this.ok = head.status >= 200 && head.status < 300;
    this.#rawHeaders = head.headers;
    this.#source = source;
    this.#hasBody = head.status !== 204 && head.status !== 205;
  }

  get headers(): Headers {
    this.#headers ??= new Headers(
      Object.entries(this.#rawHeaders).flatMap(([name, value]) =>
        Array.isArray(value) ? value.map((each): [string, string] => [name, each]) : [[name, value ?? '']],
      ),
    );
    return this.#headers;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (!this.#hasBody) return null;
    this.#stream ??= streamOf(this.#source);
    return this.#stream;
  }

  get bodyUsed(): boolean {
    return this.#readWhole || (this.#stream?.locked ?? false);
  }

  async text(): Promise<string> {
    const text = (await this.#bytes()).toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  /** @throws PatchbayError `provider_bad_response` where the body is no JSON. */
  async json(): Promise<unknown> {
    const text = await this.text();
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw providerError('bad_response', 'the model provider sent a body that is no JSON', { cause });
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
    return new Response(await this.bytes(), { headers: this.headers }).formData();
  }

  /** Both copies have to be read, or cancelled. */
  clone(): Response {
    if (this.bodyUsed) throw new TypeError('the body was already read');
    const [mine, theirs] = this.body?.tee() ?? [undefined, null];
    this.#stream = mine;
    const { status, statusText, headers, url } = this;
    return Object.defineProperty(new Response(theirs, { status, statusText, headers }), 'url', { value: url });
  }

  async #bytes(): Promise<Buffer> {
    if (this.bodyUsed) throw new TypeError('the body was already read');
    this.#readWhole = true;
    if (this.#stream) return Buffer.from(await new Response(this.#stream).arrayBuffer());
    return this.#source.readWhole();
  }
}

function streamOf(source: ResponseBody): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = await source.read();
        if (piece) controller.enqueue(new Uint8Array(piece.buffer as ArrayBuffer, piece.byteOffset, piece.byteLength));
        else controller.close();
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  );
}
