import type { Reply } from './exchange.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** A model provider's server for tests. */
export interface Upstream {
  /** Origin, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The base URL for a client of the vendor: the origin, and `/v1` for OpenAI. */
  readonly baseUrl: string;
  /** PEM of the certificate of a server that speaks TLS. */
  readonly certificate: string | undefined;
  /** Every request so far, including those whose reply was a fault. */
  readonly requests: readonly UpstreamRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Replies to the following requests: each gets the next one, later requests the last one. None: healthy responses. */
  script(...replies: readonly Reply[]): void;
  /** The next request, once it has arrived in full. */
  nextRequest(): Promise<UpstreamRequest>;
  nextConnection(): Promise<void>;
  openSockets(): number;
  /** Resolves when no connection is open; at once if none is. */
  whenSocketsClosed(): Promise<void>;
  /** Closes every connection and the port. Rejects if a reply of the script threw. */
  stop(): Promise<void>;
}
