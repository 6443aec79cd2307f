/** What is sent. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  /** Name, value, name, value, ... */
  readonly headers: string[];
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal | undefined;
  /** The signal of a `Request` follows its origin only while the `Request` is alive, so that has to be held. */
  readonly heldRequest: Request | undefined;
}

/** Headers that belong to the connection, as in the platform's `fetch`, and those by which a body would be packed. */
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

/** @throws TypeError where the body is neither text nor bytes. */
export async function outgoingRequest(input: string | URL | Request, init: RequestInit): Promise<OutgoingRequest> {
  const request = typeof input === 'object' && 'url' in input ? input : undefined;
  const url = new URL(typeof input === 'object' && 'url' in input ? input.url : input);
  const headers = headerList(init.headers ?? request?.headers ?? []);
  const given = init.body ?? (request?.body ? await request.arrayBuffer() : null);
  const body = bodyOf(given);
  if (typeof body === 'string' && !hasHeader(headers, 'content-type')) {
    headers.push('content-type', 'text/plain;charset=UTF-8');
  }
  return {
    url,
    method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
    headers,
    body,
    signal: init.signal ?? request?.signal,
    heldRequest: request,
  };
}

function headerList(headers: NonNullable<RequestInit['headers']>): string[] {
  const entries = Symbol.iterator in headers ? headers : Object.entries(headers);
  // Packed bodies are not asked for: they save little on answers of this size, and can unfold to any size.
  const list = ['accept-encoding', 'identity'];
  for (const [name, value] of entries as Iterable<[string, string]>) {
    if (!ownHeaders.has(name.toLowerCase())) list.push(name, value);
  }
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
