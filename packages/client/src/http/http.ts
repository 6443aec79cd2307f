import { ConnectionError, errorOf, type PatchbayError, TimeoutError } from '../errors.ts';
import { type ClientConfig, environment, type RequestOptions } from './client-config.ts';
import { pause, retryDelay, startTimeout, type Timeout } from './timeout.ts';

/** A request to the service. */
export interface HttpRequest extends RequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With the query. */
  readonly path: string;
  readonly body?: unknown;
}

/** A successful response. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  /** Number of retries. */
  readonly retries: number;
  /** The body, unless it is a stream of events. */
  readonly text: string;
  readonly json: unknown;
  /** The chunks of a stream as they arrive. */
  readonly stream?: AsyncIterable<string>;
}

/** Sends a request, with retries; failures are thrown. */
export type Http = (request: HttpRequest) => Promise<HttpReply>;

const defaultUrl = 'http://127.0.0.1:4810';
const defaultTimeoutMs = 600_000;
/** Endpoints that only call a model: repeating is harmless, and a key costs two writes. */
const modelCall = /^\/(generate|chat|embeddings|function-calling)$/;
const defaultRetries = 2;
const defaultRetryWaitMs = 10_000;

export function createHttp(config: ClientConfig): Http {
  return async (request) => {
    const { method, path, body, signal, maxRetries = config.maxRetries ?? defaultRetries } = request;
    const url = `${baseUrlOf(config)}${path}`;
    const timeout = request.timeout ?? config.timeout ?? defaultTimeoutMs;
    const key = typeof config.apiKey === 'function' ? await config.apiKey() : config.apiKey;
    const token = key ?? environment('PATCHBAY_API_KEY');
    const idempotencyKey =
      request.idempotencyKey ?? (method === 'POST' && !modelCall.test(path) && crypto.randomUUID());
    const headers = new Headers({
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      // The same for all attempts: a lost response is replayed, and nothing runs twice.
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    });
    // Sequentially, because names are case-insensitive.
    for (const [name, value] of Object.entries({ ...config.headers, ...request.headers })) headers.set(name, value);
    const init: RequestInit = {
      method,
      headers,
      // A redirect would send prompt and key elsewhere.
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    signal?.throwIfAborted();
    const send = config.fetch ?? fetch;
    let leftMs = config.maxRetryWait ?? defaultRetryWaitMs;
    for (let retries = 0; ; retries += 1) {
      try {
        return { ...(await attempt(send, url, init, timeout, signal)), retries };
      } catch (error) {
        if (signal?.aborted && headers.has('idempotency-key')) {
          // Loaded on demand.
          const { cancel } = await import('./cancel.ts');
          cancel(send, baseUrlOf(config), headers);
        }
        const delay = retryDelay(error, retries);
        if (retries >= maxRetries || delay >= leftMs) throw error;
        leftMs -= delay;
        config.onRetry?.(error as PatchbayError, delay);
        await pause(delay, signal);
      }
    }
  };
}

export function baseUrlOf({ baseUrl }: ClientConfig): string {
  return (baseUrl ?? environment('PATCHBAY_URL') ?? defaultUrl).replace(/\/+$/, '');
}

async function attempt(
  send: typeof fetch,
  url: string,
  init: RequestInit,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<Omit<HttpReply, 'retries'>> {
  signal?.throwIfAborted();
  const timeout = startTimeout(milliseconds, signal);
  const failure = (cause: unknown): unknown => {
    timeout.stop();
    if (signal?.aborted) return signal.reason;
    if (timeout.signal.aborted) return new TimeoutError(`no response from ${url} within ${milliseconds} ms`, { cause });
    return new ConnectionError(`no response from ${url}: is Patchbay running there?`, { cause });
  };
  let response: Response;
  let text: string;
  try {
    response = await send(url, { ...init, signal: timeout.signal });
    const { status, headers, body } = response;
    if (response.ok && body && headers.get('content-type')?.startsWith('text/event-stream')) {
      return { status, headers, text: '', json: undefined, stream: textOf(body, timeout, failure) };
    }
    text = await response.text();
  } catch (error) {
    throw failure(error);
  }
  timeout.stop();
  const { ok, status, headers } = response;
  const json = parse(text);
  if (ok && json !== undefined) return { status, headers, text, json };
  // A body that is not JSON is from a proxy or another server, or a redirect, which browsers report with status 0.
  throw errorOf(status, json ?? { detail: `no JSON from ${url}` }, headers);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* textOf(
  body: ReadableStream<Uint8Array>,
  timeout: Timeout,
  failure: (cause: unknown) => unknown,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      timeout.restart();
      const { done, value } = await reader.read();
      if (done) return;
      timeout.pause();
      yield decoder.decode(value, { stream: true });
    }
  } catch (error) {
    throw failure(error);
  } finally {
    timeout.stop();
    // Ending the iteration closes the connection, which cancels the work.
    await reader.cancel().catch(() => {});
  }
}

/**
 * Encode a name as one path segment.
 *
 * @throws TypeError for an empty name, `.` and `..`: URLs treat these as folders, however they are encoded.
 */
export function pathSegment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new TypeError(`"${name}" is not a valid name`);
  return encodeURIComponent(name);
}
