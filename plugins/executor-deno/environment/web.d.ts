// The web's own names, cut to what works without a network. The list of values is the same as in src/bootstrap/globals.js.

interface Console {
  assert(condition?: unknown, ...values: unknown[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  debug(...values: unknown[]): void;
  dir(value?: unknown, options?: object): void;
  error(...values: unknown[]): void;
  group(...values: unknown[]): void;
  groupCollapsed(...values: unknown[]): void;
  groupEnd(): void;
  info(...values: unknown[]): void;
  log(...values: unknown[]): void;
  table(value?: unknown, columns?: string[]): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
  timeLog(label?: string, ...values: unknown[]): void;
  trace(...values: unknown[]): void;
  warn(...values: unknown[]): void;
}
declare var console: Console;
declare var self: typeof globalThis;

declare function setTimeout<A extends unknown[]>(
  callback: (...values: A) => void,
  delay?: number,
  ...values: A
): number;
declare function setInterval<A extends unknown[]>(
  callback: (...values: A) => void,
  delay?: number,
  ...values: A
): number;
declare function clearTimeout(id?: number): void;
declare function clearInterval(id?: number): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T, options?: { transfer?: unknown[] }): T;
declare function reportError(error: unknown): void;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare var performance: { now(): number; readonly timeOrigin: number };

interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
}
declare class Event {
  constructor(type: string, init?: EventInit);
  readonly type: string;
  readonly target: EventTarget | null;
  readonly defaultPrevented: boolean;
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}
declare class CustomEvent<T = unknown> extends Event {
  constructor(type: string, init?: EventInit & { detail?: T });
  readonly detail: T;
}
declare class EventTarget {
  addEventListener(type: string, listener: ((event: any) => void) | null, options?: object | boolean): void;
  removeEventListener(type: string, listener: ((event: any) => void) | null, options?: object | boolean): void;
  dispatchEvent(event: Event): boolean;
}
declare class DOMException extends Error {
  constructor(message?: string, name?: string);
}
declare class AbortSignal extends EventTarget {
  static abort(reason?: unknown): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  static timeout(milliseconds: number): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
  throwIfAborted(): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

type BufferSource = ArrayBufferView | ArrayBuffer;
declare class TextEncoder {
  readonly encoding: 'utf-8';
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  decode(bytes?: BufferSource, options?: { stream?: boolean }): string;
}

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Iterable<[string, string]> | Record<string, string>);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  forEach(callback: (value: string, name: string) => void): void;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string, base?: string): boolean;
  static parse(url: string, base?: string): URL | null;
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toString(): string;
  toJSON(): string;
}
declare class URLPattern {
  constructor(pattern: string | object, base?: string);
  test(input: string | URL, base?: string): boolean;
  exec(input: string | URL, base?: string): any;
}

interface SubtleCrypto {
  digest(algorithm: string | object, bytes: BufferSource): Promise<ArrayBuffer>;
  importKey(
    format: string,
    key: any,
    algorithm: string | object,
    extractable: boolean,
    usages: string[],
  ): Promise<CryptoKey>;
  exportKey(format: string, key: CryptoKey): Promise<any>;
  generateKey(algorithm: string | object, extractable: boolean, usages: string[]): Promise<any>;
  deriveBits(algorithm: object, key: CryptoKey, length: number): Promise<ArrayBuffer>;
  deriveKey(
    algorithm: object,
    key: CryptoKey,
    derived: string | object,
    extractable: boolean,
    usages: string[],
  ): Promise<CryptoKey>;
  sign(algorithm: string | object, key: CryptoKey, bytes: BufferSource): Promise<ArrayBuffer>;
  verify(algorithm: string | object, key: CryptoKey, signature: BufferSource, bytes: BufferSource): Promise<boolean>;
  encrypt(algorithm: string | object, key: CryptoKey, bytes: BufferSource): Promise<ArrayBuffer>;
  decrypt(algorithm: string | object, key: CryptoKey, bytes: BufferSource): Promise<ArrayBuffer>;
}
interface CryptoKey {
  readonly algorithm: any;
  readonly extractable: boolean;
  readonly type: string;
  readonly usages: string[];
}
declare var crypto: {
  readonly subtle: SubtleCrypto;
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  randomUUID(): string;
};

declare class Blob {
  constructor(parts?: Iterable<BufferSource | Blob | string>, options?: { type?: string });
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  slice(start?: number, end?: number, type?: string): Blob;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
}
declare class File extends Blob {
  constructor(parts: Iterable<BufferSource | Blob | string>, name: string, options?: { type?: string });
  readonly name: string;
}
declare class FormData {
  append(name: string, value: string | Blob): void;
  get(name: string): string | File | null;
  has(name: string): boolean;
  set(name: string, value: string | Blob): void;
}
declare class Headers implements Iterable<[string, string]> {
  constructor(init?: Iterable<[string, string]> | Record<string, string>);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
interface Body {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  formData(): Promise<FormData>;
  json(): Promise<any>;
  text(): Promise<string>;
}
interface Request extends Body {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  clone(): Request;
}
declare var Request: { new (url: string | URL | Request, init?: object): Request };
interface Response extends Body {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly redirected: boolean;
  readonly url: string;
  readonly headers: Headers;
  clone(): Response;
}
declare var Response: { new (body?: any, init?: object): Response; json(data: any, init?: object): Response };

declare class ReadableStream<T = any> implements AsyncIterable<T> {
  constructor(source?: {
    start?(controller: { enqueue(chunk: T): void; close(): void; error(reason?: unknown): void }): void | Promise<void>;
    pull?(controller: { enqueue(chunk: T): void; close(): void; error(reason?: unknown): void }): void | Promise<void>;
    cancel?(reason?: unknown): void | Promise<void>;
  });
  static from<T>(values: Iterable<T> | AsyncIterable<T>): ReadableStream<T>;
  readonly locked: boolean;
  cancel(reason?: unknown): Promise<void>;
  getReader(): {
    read(): Promise<{ done: boolean; value?: T }>;
    releaseLock(): void;
    cancel(reason?: unknown): Promise<void>;
  };
  pipeThrough<U>(transform: { readable: ReadableStream<U>; writable: WritableStream<any> }): ReadableStream<U>;
  pipeTo(target: WritableStream<T>): Promise<void>;
  tee(): [ReadableStream<T>, ReadableStream<T>];
  [Symbol.asyncIterator](): AsyncIterableIterator<T>;
}
declare class WritableStream<T = any> {
  constructor(sink?: {
    write?(chunk: T): void | Promise<void>;
    close?(): void | Promise<void>;
    abort?(reason?: unknown): void | Promise<void>;
  });
  readonly locked: boolean;
  getWriter(): { write(chunk: T): Promise<void>; close(): Promise<void>; releaseLock(): void };
  close(): Promise<void>;
}
declare class TransformStream<I = any, O = any> {
  constructor(transformer?: {
    transform?(chunk: I, controller: { enqueue(chunk: O): void; terminate(): void }): void | Promise<void>;
    flush?(controller: { enqueue(chunk: O): void }): void | Promise<void>;
  });
  readonly readable: ReadableStream<O>;
  readonly writable: WritableStream<I>;
}
declare class CompressionStream extends TransformStream<BufferSource, Uint8Array<ArrayBuffer>> {
  constructor(format: 'deflate' | 'deflate-raw' | 'gzip');
}
declare class DecompressionStream extends TransformStream<BufferSource, Uint8Array<ArrayBuffer>> {
  constructor(format: 'deflate' | 'deflate-raw' | 'gzip');
}
declare class TextEncoderStream extends TransformStream<string, Uint8Array<ArrayBuffer>> {}
declare class TextDecoderStream extends TransformStream<BufferSource, string> {
  constructor(label?: string);
}
