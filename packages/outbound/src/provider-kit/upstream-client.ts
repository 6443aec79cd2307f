import { jsonTextOf, readJson, readShortJson, SHORT_JSON } from '@patchbay/contracts/base/json-text';
import { type JoinedMembers, RepeatedJson } from '@patchbay/contracts/base/repeated-json';
import { PatchbayError, type UpstreamFaultKind } from '@patchbay/contracts/errors';
import type { ForwardedResponse, ForwardRequest } from '@patchbay/contracts/forward';
import type { ChatDelta } from '@patchbay/contracts/provider';
import { faultOfStatus, providerError } from '@patchbay/contracts/provider-error';
import { forwardedHeaders } from './forwarded-headers.ts';
import { fieldsOf, type JsonFields } from './json-fields.ts';
import { addPieces, isEventStream, parserFor, piecesOf, type ServerSentEvent } from './stream-parsers.ts';

/** Longer error documents are not read. */
const MAX_ERROR_LENGTH = 64 * 1024;

/** Fewer events that arrive together are cheaper to read one by one. */
const JOINED = 4;

/** Statuses of refusals that the caller of a forwarded request can do something about; the others concern our account. */
const callersStatuses: ReadonlySet<number> = new Set([400, 404, 413, 422, 429]);

/** The information of a vendor's error document beyond its status. */
export interface VendorError {
  readonly kind?: UpstreamFaultKind | undefined;
  /** Seconds, if they are in the document and not in a header. */
  readonly retryAfter?: string | undefined;
}

export interface UpstreamClientOptions {
  /** The provider's name, for messages. */
  readonly name: string;
  /** Created by the transport. */
  readonly fetch: typeof fetch;
  /** Sent with every request: credentials, and the version of the API. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings that no error may contain: our keys. */
  readonly secrets: readonly (string | undefined)[];
  /** @param status Undefined for an error within a stream. */
  readonly readError: (document: JsonFields, status: number | undefined) => VendorError;
}

/**
 * The part that the adapters of all vendors share: send a request, and tell a valid response from everything else. It
 * throws errors made by `providerError`, or the reason of the signal.
 */
export interface UpstreamClient {
  /** The provider's name, for messages. */
  readonly name: string;
  /** Post a document; the response is a JSON object. */
  ask(url: string, body: object, signal: AbortSignal): Promise<JsonFields>;
  /**
   * Post a document; the response is a stream of server-sent events, or of JSON objects by line (NDJSON). The deltas that
   * the reader finds in what arrives together are yielded together. Ending the iteration closes the connection.
   */
  stream(url: string, body: object, signal: AbortSignal, reader: StreamReader): AsyncGenerator<readonly ChatDelta[]>;
  /**
   * Post a request as it was sent; the response is returned as it comes, a stream in pieces. Refusals that concern the
   * request keep the vendor's words, in `upstream.refusal`.
   */
  forward(url: string, request: ForwardRequest, signal: AbortSignal): Promise<ForwardedResponse>;
  /** The error for an invalid response. `what` continues the sentence `the answer of acme …`. */
  readonly badAnswer: (what: string, cause?: unknown) => PatchbayError;
  /** The error for an error document within a stream. */
  streamError(document: JsonFields): PatchbayError;
}

/** Reads the events of one response, in their order. An error it throws ends the stream, after the deltas so far. */
export interface StreamReader {
  /**
   * Add the deltas that an event completes.
   *
   * @returns whether it was the last event; what follows is not read.
   */
  read(event: UpstreamEvent, deltas: ChatDelta[]): boolean;
  /**
   * Consecutive events that differ only in these members are read as one. Their text is passed on in the pieces in which
   * it arrived. Default: each is read by itself.
   */
  readonly joins?: JoinedMembers;
  /** Add the deltas after the last event if the response is complete; throw if it is not. */
  end(deltas: ChatDelta[]): void;
}

/** An event whose data is a JSON object. */
export interface UpstreamEvent {
  readonly name: string | undefined;
  /** Undefined for OpenAI's `[DONE]`. */
  readonly data: JsonFields | undefined;
}

/**
 * The client of a provider for its vendor's HTTP API. It sends no request a second time.
 *
 * @throws PatchbayError `config_invalid` for a key, or another header, that cannot be sent.
 *
 * @example
 * ```ts
 * import { createUpstreamClient, type Transport } from '@patchbay/core/provider';
 *
 * export function ask(transport: Transport, key: string, signal: AbortSignal) {
 *   const baseUrl = 'https://api.example.com/v1';
 *   const upstream = createUpstreamClient({
 *     name: 'acme',
 *     fetch: transport.createFetch({ baseUrl }),
 *     headers: { authorization: `Bearer ${key}` },
 *     secrets: [key],
 *     readError: () => ({}),
 *   });
 *   return upstream.ask(`${baseUrl}/chat`, { prompt: 'Hello' }, signal);
 * }
 * ```
 */
export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { name, readError } = options;
  // Some servers refuse requests without a user agent.
  const common = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'patchbay' };
  const headers = { ...common, ...options.headers };
  checkHeaders(name, headers);
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
    if (PatchbayError.is(error)) return error;
    return providerError('unreachable', `${name} could not be reached`, { cause: causeOf(error) });
  };

  const refusal = async (response: Response): Promise<PatchbayError> => {
    const { status, headers: answered } = response;
    // The status says enough if the document does not arrive.
    const text = await response.text().catch(() => '');
    const document = (text.length > MAX_ERROR_LENGTH ? undefined : fieldsOf(await readDocument(text))) ?? {};
    const { kind = faultOfStatus(status), retryAfter } = readError(document, status);
    const requestId = answered.get('x-request-id') ?? answered.get('request-id');
    return providerError(kind, sentence(name, kind, `answered ${status}`), {
      status,
      ...(requestId ? { requestId } : {}),
      retryAfter: retryAfterOf(answered) ?? retryAfter,
      cause: causeOf(text),
    });
  };

  const post = (url: string, body: object, signal: AbortSignal): Promise<Response> => {
    signal.throwIfAborted();
    return options.fetch(url, { method: 'POST', headers, body: jsonTextOf(body), signal });
  };

  /** Only the key of a forwarded request is ours, so no other status says anything about the model or the account. */
  const forwardedRefusal = async (response: Response): Promise<PatchbayError> => {
    const { status, headers: answered } = response;
    const text = await response.text().catch(() => '');
    const document = (text.length > MAX_ERROR_LENGTH ? undefined : fieldsOf(await readDocument(text))) ?? {};
    const { kind: read = faultOfStatus(status), retryAfter } = readError(document, status);
    const kind = status === 403 || read === 'model_gone' ? 'rejected' : read;
    const options = { status, retryAfter: retryAfterOf(answered) ?? retryAfter, cause: causeOf(text) };
    if (!callersStatuses.has(status) || read === 'auth')
      return providerError(kind, `${name} answered ${status}`, options);
    const refusal = {
      status,
      headers: forwardedHeaders((each) => answered.get(each)),
      body: Buffer.from(withoutSecrets(text)),
    };
    return providerError(kind, sentence(name, kind, `answered ${status}`), { ...options, refusal });
  };

  const eventOf = ({ event, data }: ServerSentEvent, json: RepeatedJson): UpstreamEvent | Promise<UpstreamEvent> => {
    if (data === '[DONE]') return { name: event, data: undefined };
    const eventWith = (document: unknown): UpstreamEvent => {
      const fields = fieldsOf(document);
      if (!fields) throw badAnswer('has an event that is no JSON object', data);
      return { name: event, data: fields };
    };
    return data.length <= SHORT_JSON ? eventWith(json.read(data)) : readDocument(data).then(eventWith);
  };

  const forwardedPieces = (response: Response, signal: AbortSignal): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]() {
      const pieces = piecesOf(response)[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const step = await pieces.next();
            // Some bodies end quietly when they are aborted.
            if (step.done) signal.throwIfAborted();
            return step;
          } catch (error) {
            throw failureOf(error, signal);
          }
        },
        async return() {
          await pieces.return?.();
          return { value: undefined, done: true };
        },
      };
    },
  });

  return {
    name,
    async ask(url, body, signal) {
      try {
        const response = await post(url, body, signal);
        if (!response.ok) throw await refusal(response);
        const text = await response.text();
        const document = fieldsOf(text.length <= SHORT_JSON ? readShortDocument(text) : await readDocument(text));
        if (document) return document;
        throw badAnswer('is no JSON object', text);
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    async *stream(url, body, signal, reader) {
      let deltas: ChatDelta[] = [];
      const taken = (): readonly ChatDelta[] => {
        const found = deltas;
        deltas = [];
        return found;
      };
      try {
        const response = await post(url, body, signal);
        if (!response.ok) throw await refusal(response);
        const parser = parserFor(response.headers.get('content-type') ?? '');
        if (!parser) {
          await response.body?.cancel();
          throw badAnswer('is no stream of events');
        }
        let isOver = false;
        const json = new RepeatedJson(readShortDocument, reader.joins);
        /** Name of the last event that was read by itself. */
        let name: string | undefined;
        const readJoined = (): void => {
          const joined = json.joined();
          if (!joined || isOver) return;
          const said: ChatDelta[] = [];
          isOver = reader.read({ name, data: fieldsOf(joined.document) }, said);
          addPieces(joined, said, deltas);
        };
        /** Events that are too long to be read synchronously are awaited. */
        const readEvents = (events: readonly ServerSentEvent[], from = 0): Promise<void> | undefined => {
          for (let place = from; place < events.length && !isOver; place += 1) {
            const event = events[place] as ServerSentEvent;
            const { length } = event.data;
            if (events.length >= JOINED) {
              if (event.event === name && length <= SHORT_JSON && json.join(event.data, 0, length)) continue;
              readJoined();
              if (isOver) break;
              name = event.event;
            }
            const read = eventOf(event, json);
            if (read instanceof Promise) {
              return read.then((event) => {
                isOver = reader.read(event, deltas);
                return readEvents(events, place + 1);
              });
            }
            isOver = reader.read(read, deltas);
          }
          readJoined();
          return undefined;
        };
        // Functions, because a suspended generator retains what it has passed to others: the events and their text.
        const take = (bytes: Uint8Array) => readEvents(parser.push(bytes));
        const takeRest = () => readEvents(parser.end());
        for await (const bytes of piecesOf(response)) {
          const reading = take(bytes);
          if (reading) await reading;
          if (isOver) break;
          if (deltas.length > 0) yield taken();
        }
        if (!isOver) await takeRest();
        // Some bodies end quietly when they are aborted.
        if (!isOver) signal.throwIfAborted();
        reader.end(deltas);
        yield taken();
      } catch (error) {
        if (deltas.length > 0) yield taken();
        throw failureOf(error, signal);
      }
    },
    async forward(url, { body, headers: sent, stream }, signal) {
      try {
        signal.throwIfAborted();
        const bytes = body as Uint8Array<ArrayBuffer>;
        const init = { method: 'POST', headers: { ...headers, ...sent }, body: bytes, signal };
        const response = await options.fetch(url, init);
        if (!response.ok) throw await forwardedRefusal(response);
        const received = forwardedHeaders((each) => response.headers.get(each));
        const head = { status: response.status, headers: received };
        if (!stream) return { ...head, body: new Uint8Array(await response.arrayBuffer()) };
        if (!isEventStream(received['content-type'] ?? '')) {
          await response.body?.cancel();
          throw badAnswer('is no stream of events');
        }
        return { ...head, body: forwardedPieces(response, signal), withoutSecrets };
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    badAnswer,
    streamError(document) {
      const { kind = 'failed', retryAfter } = readError(document, undefined);
      return providerError(kind, sentence(name, kind, 'failed during the stream'), {
        retryAfter,
        cause: causeOf(document),
      });
    },
  };
}

/** A key from a file may contain a line break: without this, each request would fail as if the vendor could not be reached. */
function checkHeaders(provider: string, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (sendable.test(value)) continue;
    const what = `the header ${name} contains a line break, or another character that headers cannot have`;
    throw new PatchbayError('config_invalid', `${provider} cannot be used: ${what}; check its key`);
  }
}

/** Visible characters, spaces and tabs, and bytes above ASCII (RFC 9110, section 5.5). */
const sendable = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The detail for callers: specific if they can do something about it. */
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

/** A vendor's document, by the rule for all JSON from outside; undefined if it is not JSON. */
async function readDocument(text: string): Promise<unknown> {
  try {
    return (await readJson(text)).value;
  } catch {
    return undefined;
  }
}

function readShortDocument(text: string): unknown {
  try {
    return readShortJson(text).value;
  } catch {
    return undefined;
  }
}
