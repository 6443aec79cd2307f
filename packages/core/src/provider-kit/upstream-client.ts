import { PatchbayError, type UpstreamFaultKind } from '../contracts/errors.ts';
import { faultOfStatus, providerError } from '../contracts/provider-error.ts';
import { carriedFailure, carry } from './carried-failure.ts';
import { fieldsOf, type JsonFields } from './json-fields.ts';
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts';

/** Longer error documents are not looked into. */
const MAX_ERROR_LENGTH = 64 * 1024;

const callSignal = Symbol.for('patchbay.call-signal');

interface CallInit extends RequestInit {
  readonly [callSignal]?: AbortSignal;
}

/** What a vendor's error document says beyond its status. */
export interface VendorError {
  readonly kind?: UpstreamFaultKind | undefined;
  /** Seconds, where they stand in the document and not in a header. */
  readonly retryAfter?: string | undefined;
}

export interface UpstreamClientOptions {
  /** The provider's name, for messages. */
  readonly name: string;
  /** Made by the transport. */
  readonly fetch: typeof fetch;
  /** Texts that no error may hold: our keys. */
  readonly secrets: readonly (string | undefined)[];
  /** @param status Undefined for an error within a stream. */
  readonly readError: (document: JsonFields, status: number | undefined) => VendorError;
}

/** What the adapters of all vendors do alike: ask, and tell an answer from everything that is none. */
export interface UpstreamClient {
  /** The provider's name, for messages. */
  readonly name: string;
  /** For the vendor's SDK. Whatever is not a 2xx is thrown, in a form that `open` gets out of the SDK's own errors. */
  readonly fetch: typeof fetch;
  /**
   * What an SDK is given with a call, so that the signal gets to `fetch` past it: the SDKs hang signals of their own
   * between, which cost as much as all the rest and have lost aborts.
   */
  readonly callOptions: (signal: AbortSignal) => { readonly fetchOptions: object };
  /** Sends. What it throws was made by `providerError`, or is the reason of the signal. */
  open(send: () => Promise<Response>, signal: AbortSignal): Promise<Response>;
  readJson(response: Response, signal: AbortSignal): Promise<JsonFields>;
  /** The events whose data are JSON objects; `[DONE]` ends them with `undefined`. Ending the iteration closes the body. */
  readEvents(response: Response, signal: AbortSignal): AsyncGenerator<UpstreamEvent>;
  /** The error for an answer that is none. `what` continues the sentence `the answer of acme …`. */
  readonly badAnswer: (what: string, cause?: unknown) => PatchbayError;
  /** The error that an error document within a stream stands for. */
  streamError(document: JsonFields): PatchbayError;
}

export interface UpstreamEvent {
  readonly name: string | undefined;
  /** Undefined for OpenAI's `[DONE]`. */
  readonly data: JsonFields | undefined;
}

export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { name, readError } = options;
  const secrets = options.secrets.filter((secret): secret is string => Boolean(secret));
  const withoutSecrets = (text: string) =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  const causeOf = (value: unknown) => {
    const text = value instanceof Error ? `${value.name}: ${value.message}` : value;
    return new Error(withoutSecrets(typeof text === 'string' ? text : (JSON.stringify(text) ?? '')).slice(0, 2_000));
  };
  const badAnswer = (what: string, cause?: unknown) =>
    providerError('bad_response', `the answer of ${name} ${what}`, {
      cause: cause === undefined ? undefined : causeOf(cause),
    });

  const failureOf = (error: unknown, signal: AbortSignal): unknown => {
    if (signal.aborted) return signal.reason;
    const failure = carriedFailure(error);
    if (PatchbayError.is(failure)) return failure;
    return providerError('unreachable', `${name} could not be asked`, { cause: causeOf(failure) });
  };

  async function refusal(response: Response): Promise<PatchbayError> {
    const { status, headers } = response;
    // The status says enough where the document does not arrive.
    const text = await response.text().catch(() => '');
    const document = (text.length > MAX_ERROR_LENGTH ? undefined : fieldsOf(parseJson(text))) ?? {};
    const { kind = faultOfStatus(status), retryAfter } = readError(document, status);
    const requestId = headers.get('x-request-id') ?? headers.get('request-id');
    return providerError(kind, sentence(name, kind, `answered ${status}`), {
      status,
      ...(requestId ? { requestId } : {}),
      retryAfter: retryAfterOf(headers) ?? retryAfter,
      cause: causeOf(text),
    });
  }

  return {
    name,
    async fetch(input, init: CallInit = {}) {
      const signal = init[callSignal];
      let response: Response;
      try {
        response = await options.fetch(input, signal ? { ...init, signal } : init);
      } catch (error) {
        throw carry(error);
      }
      if (response.ok) return response;
      throw carry(await refusal(response));
    },
    callOptions(signal) {
      return { fetchOptions: { [callSignal]: signal } satisfies CallInit };
    },
    async open(send, signal) {
      signal.throwIfAborted();
      try {
        return await send();
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    async readJson(response, signal) {
      const text = await response.text().catch((error: unknown) => {
        throw failureOf(error, signal);
      });
      const document = fieldsOf(parseJson(text));
      if (!document) throw badAnswer('is no JSON object', text);
      return document;
    },
    async *readEvents(response, signal) {
      if (!response.body || !response.headers.get('content-type')?.includes('text/event-stream')) {
        await response.body?.cancel();
        throw badAnswer('is no stream of events');
      }
      const events = readServerSentEvents(response.body);
      try {
        for (;;) {
          const next = await nextEvent(events, (error) => failureOf(error, signal));
          if (next.done) break;
          const { event, data } = next.value;
          const document = data === '[DONE]' ? undefined : fieldsOf(parseJson(data));
          if (data !== '[DONE]' && !document) throw badAnswer('has an event that is no JSON object', data);
          yield { name: event, data: document };
        }
      } finally {
        await events.return(undefined);
      }
      // Some bodies end quietly when they are aborted.
      signal.throwIfAborted();
    },
    badAnswer,
    streamError(document) {
      const { kind = 'failed', retryAfter } = readError(document, undefined);
      return providerError(kind, sentence(name, kind, 'failed within its stream'), {
        retryAfter,
        cause: causeOf(document),
      });
    },
  };
}

async function nextEvent(events: AsyncGenerator<ServerSentEvent>, failure: (error: unknown) => unknown) {
  try {
    return await events.next();
  } catch (error) {
    throw failure(error);
  }
}

/** What callers read: where they can do something about it, what it is. */
function sentence(name: string, kind: UpstreamFaultKind, otherwise: string): string {
  if (kind === 'context_length') return `the request is longer than the context of the model at ${name}`;
  if (kind === 'content_filter') return `${name} refused the content`;
  if (kind === 'unsupported') return `${name} does not support a parameter of the request for this model`;
  return `${name} ${otherwise}`;
}

function retryAfterOf(headers: Headers): string | undefined {
  const milliseconds = headers.get('retry-after-ms');
  if (milliseconds && /^\d+(\.\d+)?$/.test(milliseconds)) return String(Math.ceil(Number(milliseconds) / 1_000));
  return headers.get('retry-after') ?? undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
