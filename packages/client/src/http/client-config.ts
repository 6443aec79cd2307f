import type { PatchbayError } from '../errors.ts';

/** Where the server is, and how it is asked. */
export interface ClientConfig {
  /** Default: the environment variable `PATCHBAY_URL`, else `http://127.0.0.1:4810`. */
  readonly baseUrl?: string;
  /** An API key or an access token, or what gets one. Default: the environment variable `PATCHBAY_API_KEY`. */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds that one attempt may take; while a stream arrives, that one pause may take. Default 600,000. */
  readonly timeout?: number;
  /** How often a request is sent again when it failed for a while only. Default 2. */
  readonly maxRetries?: number;
  /**
   * Milliseconds that one request may spend waiting between its attempts, in total. A server that asks for a longer wait
   * is not asked again: its error is thrown at once, with `retryAfter`. Default 10,000.
   */
  readonly maxRetryWait?: number;
  /** Called before each wait, such as to show a person why nothing happens. */
  readonly onRetry?: (error: PatchbayError, waitMs: number) => void;
}

/** Options of every request. */
export interface RequestOptions {
  /** Ends the request and the work behind it; with an idempotency key, by a second request that cancels the first. */
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly maxRetries?: number;
  /**
   * Two requests with one key are carried out once. `false`: no key. Default: no key for requests that only call a model;
   * for any other POST a new one, the same for its retries.
   */
  readonly idempotencyKey?: string | false;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A variable of the environment, where the platform has one and lets us read it. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  try {
    return process?.env?.[name];
  } catch {
    // Deno without the permission.
    return undefined;
  }
}
