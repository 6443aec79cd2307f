import type { PatchbayError } from '../errors.ts';

/** Address of the server, and options of requests. */
export interface ClientConfig {
  /** Default: the environment variable `PATCHBAY_URL`, else `http://127.0.0.1:4810`. */
  readonly baseUrl?: string;
  /** An API key or access token, or a function that returns one. Default: the environment variable `PATCHBAY_API_KEY`. */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Timeout of one attempt in milliseconds; for a stream, of one pause. Default 600,000. */
  readonly timeout?: number;
  /** Maximum number of retries after transient failures. Default 2. */
  readonly maxRetries?: number;
  /**
   * Maximum milliseconds that one request may wait between its attempts, in total. If a server requests a longer delay,
   * its error is thrown immediately, with `retryAfter`. Default 10,000.
   */
  readonly maxRetryWait?: number;
  /** Called before each delay, for example to show progress. */
  readonly onRetry?: (error: PatchbayError, waitMs: number) => void;
}

/** Options of every request. */
export interface RequestOptions {
  /** Cancels the request and its work; with an idempotency key, by a second request that cancels the first. */
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly maxRetries?: number;
  /**
   * Requests with the same key run once. `false`: no key. Default: no key for requests that only call a model;
   * for any other POST a new one, the same for its retries.
   */
  readonly idempotencyKey?: string | false;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An environment variable, if the platform supports and permits it. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  try {
    return process?.env?.[name];
  } catch {
    // Deno without the permission.
    return undefined;
  }
}
