import type { Socket } from 'node:net';
import type { Dialect } from './dialects/dialect.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** One request and the connection to answer it on. */
export interface Exchange {
  readonly request: UpstreamRequest;
  readonly dialect: Dialect;
  readonly socket: Socket;
  /** Resolves when more can be written, or the connection is closed. */
  write(data: string | Uint8Array): Promise<void>;
}

/**
 * The reaction of the upstream to a request. If the connection is still open when the reaction ends, it accepts
 * further requests.
 */
export type Reply = (exchange: Exchange) => Promise<void> | void;

export interface ResponseParts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Writes a whole response with its length, in one piece. */
export function respond(exchange: Exchange, { status = 200, headers = {}, body = '' }: ResponseParts): Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const length = status === 204 || status === 304 ? {} : { 'content-length': String(bytes.byteLength) };
  return exchange.write(Buffer.concat([headText(exchange, status, { ...headers, ...length }), bytes]));
}

/** Writes the head of a response whose body follows in chunks. */
export function beginChunks(exchange: Exchange, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  return exchange.write(headText(exchange, 200, { ...headers, 'transfer-encoding': 'chunked' }));
}

export function writeChunk(exchange: Exchange, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  return exchange.write(
    Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
  );
}

export function endChunks(exchange: Exchange): Promise<void> {
  return exchange.write('0\r\n\r\n');
}

export function headText(exchange: Exchange, status: number, headers: Readonly<Record<string, string>>): Buffer {
  const { requestIdHeader } = exchange.dialect;
  const all = { ...(requestIdHeader ? { [requestIdHeader]: 'req_upstream' } : {}), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} Upstream\r\n${lines.join('')}\r\n`, 'latin1');
}
