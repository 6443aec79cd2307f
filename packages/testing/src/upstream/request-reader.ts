/** A request without what only the connection knows about it. */
export interface ReadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Cuts the bytes of a connection into HTTP/1.1 requests whose bodies have a `Content-Length`. */
export class RequestReader {
  #pending = Buffer.alloc(0);

  /** @throws Error if the bytes are not such a request. */
  *read(bytes: Buffer): Generator<ReadRequest> {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    for (;;) {
      const headEnd = this.#pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const [requestLine = '', ...headerLines] = this.#pending.toString('latin1', 0, headEnd).split('\r\n');
      const [method, path, version] = requestLine.split(' ');
      if (!method || !path || version !== 'HTTP/1.1') throw new Error(`not a request line: ${requestLine}`);

      const headers = headersOf(headerLines);
      if (headers['transfer-encoding']) throw new Error('bodies in chunks are not read');
      const bodyStart = headEnd + 4;
      const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0);
      if (this.#pending.length < bodyEnd) return;

      const body = this.#pending.toString('utf8', bodyStart, bodyEnd);
      this.#pending = this.#pending.subarray(bodyEnd);
      yield { method, path, headers, body };
    }
  }
}

function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}
