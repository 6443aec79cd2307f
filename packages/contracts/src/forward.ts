import type { PatchbayError } from './errors.ts';
import type { FinishReason, Usage } from './provider.ts';

/** APIs whose requests can be forwarded to a vendor that has the same API: each is one endpoint. */
export const dialects = [
  'openai-chat',
  'openai-responses',
  'openai-compaction',
  'openai-embeddings',
  'anthropic-messages',
  'anthropic-count-tokens',
] as const;

export type Dialect = (typeof dialects)[number];

/**
 * A request as its caller sent it, for a provider that speaks the caller's dialect. The gateway has changed only the
 * model name, as far as the caller can see; the provider changes nothing.
 */
export interface ForwardRequest {
  readonly dialect: Dialect;
  /** Without the provider's name, as in the body. */
  readonly model: string;
  /** A JSON object. */
  readonly body: Uint8Array;
  /** By lower-case name. They replace headers of the provider with the same name, except its credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The response is to be an event stream. */
  readonly stream: boolean;
}

/** A complete response of a vendor, or the beginning of one. */
export interface ForwardedResponse {
  /** 2xx: anything else is thrown, as by the other methods. */
  readonly status: number;
  /** By lower-case name. Callers receive only those that reveal nothing about the operator's account. */
  readonly headers: Readonly<Record<string, string>>;
  /** As the vendor sent it: a stream in pieces, where ending the iteration closes the socket; any other response whole. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** The text of an error within the stream, without secrets of the server. Default: as it is. */
  readonly withoutSecrets?: (text: string) => string;
}

/** The rejection of a request that its caller can do something about, for callers who speak the vendor's dialect. */
export interface ForwardedRefusal {
  /** 400, 404, 413, 422 or 429. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As the vendor sent it, without secrets of the server. */
  readonly body: Uint8Array;
}

/** The facts in the bytes of a response, as far as they have passed. */
export interface ForwardOutcome {
  /** Undefined if the vendor did not report it. */
  readonly usage?: Usage | undefined;
  /** The model that responded, as the vendor names it. */
  readonly model?: string | undefined;
  readonly finishReason?: FinishReason | undefined;
  /** Bytes of the response that count as output if the vendor did not report its tokens. */
  readonly outputBytes: number;
  /** Multiple of the list price, if the vendor reported which service tier it used. Default: that of the request. */
  readonly priceFactor?: number | undefined;
  /** Ids of objects that the vendor keeps, and digests of the model's reasoning: what the caller may send back. */
  readonly ownIds: readonly string[];
}

/** Reads one response as it passes through. There is one for each dialect, independent of the vendor. */
export interface ForwardReader {
  /**
   * @returns the bytes for the caller: these, without what the caller did not ask for. In a stream, only complete
   *   events, and none from the `failure` on.
   */
  push(bytes: Uint8Array): Uint8Array;
  /** The bytes that were held back, and after `end` those that are missing. To be called after the last bytes. */
  flush(): Uint8Array;
  /** Output of the model has passed: from now on, no other model can take over. */
  readonly hasOutput: boolean;
  /** The vendor reported a failure within the stream, or sent an event that makes no sense. */
  readonly failure: PatchbayError | undefined;
  /** The event that ends a complete stream was read: what happens to the connection after that is not a failure. */
  readonly isOver: boolean;
  /** The facts so far. */
  readonly outcome: ForwardOutcome;
  /** @throws PatchbayError `provider_bad_response` for a response that is cut off, or is not in the dialect. */
  end(): ForwardOutcome;
}
