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

/** Headers that belong to the connection, as in the platform's `fetch`, and those that would compress a body. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** @throws TypeError if the URL is invalid. */
export function targetOf(url: string): Target {
  const { href, origin, pathname, search } = new URL(url);
  return { href, origin, path: pathname + search };
}

/** @throws TypeError if the body is neither a string nor bytes. */
export function outgoingRequest(target: Target, init: RequestInit, heldRequest: Request | undefined): OutgoingRequest {
  const headers = headerList(init.headers ?? {});
  const body = bodyOf(init.body ?? null);
  if (typeof body === 'string' && !hasHeader(headers, 'content-type')) {
    headers.push('content-type', 'text/plain;charset=UTF-8');
  }
  const method = (init.method ?? 'GET').toUpperCase();
  return { target, method, headers, body, signal: init.signal ?? undefined, heldRequest };
}

/** The members of a `Request`, overridden by those of `init`. */
export async function initOfRequest(request: Request, init: RequestInit): Promise<RequestInit> {
  const body = init.body ?? (request.body ? await request.arrayBuffer() : null);
  const { method, headers, signal } = request;
  return {
    ...init,
    method: init.method ?? method,
    headers: init.headers ?? headers,
    signal: init.signal ?? signal,
    body,
  };
}

function headerList(headers: NonNullable<RequestInit['headers']>): string[] {
  // Compression is not requested: it saves little on responses of this size, and bodies can expand to any size.
  const list = ['accept-encoding', 'identity'];
  const add = (name: string, value: string): void => {
    if (!ownHeaders.has(name.toLowerCase())) list.push(name, value);
  };
  if (Symbol.iterator in headers) for (const [name, value] of headers as Iterable<[string, string]>) add(name, value);
  else for (const name of Object.keys(headers)) add(name, headers[name] as string);
  return list;
}

function hasHeader(list: readonly string[], name: string): boolean {
  return list.some((each, index) => index % 2 === 0 && each.toLowerCase() === name);
}

function bodyOf(body: unknown): OutgoingRequest['body'] {
  if (body === null || typeof body === 'string') return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('a body sent to a model provider is a string or bytes');
}
