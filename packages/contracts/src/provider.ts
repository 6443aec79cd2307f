import type { RequestContext } from './context.ts';
import type { Dialect, ForwardedResponse, ForwardRequest } from './forward.ts';
import type { Schema } from './json-schema.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { AssistantContent, CacheMark, Extra, Message, ToolCallPart } from './message.ts';

/** Capabilities of models. The first five are those of the specification. */
export const modelCapabilities = [
  'chat',
  'code',
  'reasoning',
  'vision',
  'embeddings',
  'tools',
  'structured-output',
  'audio',
  'files',
] as const;

export type ModelCapability = (typeof modelCapabilities)[number];

/** USD per 1,000,000 tokens. Cached tokens cost as much as other input, unless they have a separate price. */
export interface ModelPricing {
  readonly input: number;
  readonly output: number;
  /** Input that the vendor reads from its cache. */
  readonly cacheRead?: number | undefined;
  /** Input that the vendor writes into its cache. */
  readonly cacheWrite?: number | undefined;
}

/** A model as its provider knows it. */
export interface ModelInfo {
  /** Without the provider's name: `gpt-5`, not `openai/gpt-5`. */
  readonly name: string;
  readonly capabilities: readonly ModelCapability[];
  /** Maximum number of completion tokens. On text models. */
  readonly maxTokens?: number;
  /** Maximum number of prompt and completion tokens together. */
  readonly contextWindow?: number;
  /** Dimensions of an embedding. On embedding models. */
  readonly dimensions?: number;
  /** Maximum number of texts in one request. On embedding models. Default 1. */
  readonly embedBatch?: number;
  /** USD per 1,000,000 tokens. Absent where unknown: unknown is not free. Default: the list price of `vendor`. */
  readonly pricing?: ModelPricing;
  /** Vendor whose price list contains the model: `openai`, `anthropic`, `google`. Absent for models without a list price. */
  readonly vendor?: string;
  /** When the vendor published the model. ISO 8601. */
  readonly createdAt?: string;
  /** Expected quality before any observation, 0 to 1. Default 0.5. */
  readonly quality?: number;
  /** Sampling parameters the model rejects. */
  readonly unsupported?: readonly (keyof Sampling)[];
  /** If below 2. */
  readonly maxTemperature?: number;
  /** The source page of these facts, and the date they were read, as `YYYY-MM-DD`. */
  readonly source?: { readonly url: string; readonly checkedAt: string };
  /** Selected automatically only if no other provider has a model. */
  readonly lastResort?: boolean;
  /**
   * The model continues a final assistant message: its response is what follows. Only where the vendor documents it;
   * adapters mark the message as the vendor requires. Default: no.
   */
  readonly prefill?: boolean;
  /** Dialects in which `forward` takes requests to the model. Default: none, so that every request is translated. */
  readonly dialects?: readonly Dialect[];
}

/** A function that the model may call. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** As the caller sent it: adapters forward it unchanged where the vendor takes it. */
  readonly parameters: Schema;
  readonly cache?: CacheMark;
  readonly extra?: Extra;
}

export type ToolCall = Omit<ToolCallPart, 'type'>;

/** How much a reasoning model reasons before it answers. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** Omitted values are not sent, so that the provider's defaults apply. */
export interface Sampling {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
}

export const samplingNames = [
  'maxTokens',
  'temperature',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
] as const satisfies readonly (keyof Sampling)[];

export interface ChatRequest extends Sampling {
  /** Without the provider's name. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** Default: `auto` if there are tools. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string };
  /** Whether the model may call several tools in one turn. Default: the vendor's. */
  readonly parallelToolCalls?: boolean;
  /** Texts that end the completion; they are not part of it. */
  readonly stop?: readonly string[];
  /** For repeatable sampling, as far as the vendor supports it. */
  readonly seed?: number;
  readonly reasoningEffort?: (typeof reasoningEfforts)[number];
  /** The completion must be JSON that matches this schema. Its references are resolved, except those to itself. */
  readonly responseSchema?: Schema;
  /** The completion must be a JSON object of any form. Ignored if there is a `responseSchema`. */
  readonly responseJson?: boolean;
  /** Members of the request that only one wire format has. */
  readonly extra?: Extra;
}

/** Token counts. They do not overlap, except where noted. */
export interface Usage {
  /** Tokens of the prompt that were neither read from nor written to the provider's cache. */
  readonly uncachedInputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** The part of `outputTokens` used for reasoning. */
  readonly reasoningTokens: number;
  /** The provider did not report counts; the numbers are estimates. */
  readonly estimated?: boolean;
}

export const finishReasons = ['stop', 'length', 'tool-calls', 'content-filter'] as const;

export type FinishReason = (typeof finishReasons)[number];

export interface ChatResult {
  /** `textOf` and `toolCallsOf` of the kit read it. */
  readonly content: AssistantContent;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** The model that responded, as the vendor names it: often the requested one, with its date. For traces. */
  readonly model?: string;
  /** One sentence for each parameter that had to be adapted. Nothing is dropped silently. */
  readonly warnings?: readonly string[];
  readonly extra?: Extra;
}

/**
 * A delta of a streamed response. The deltas of a stream add up to the result of `chat`. Before the first
 * `text` or `tool-call` the gateway may still fall back to another model; after it, it cannot.
 *
 * A tool call is announced by its first `tool-arguments`, a piece of the JSON text of its arguments, which may be
 * empty, and completed by its `tool-call`. Pieces of several calls may alternate. Providers whose upstream sends
 * complete arguments send the `tool-call` only. `reasoning-end` completes the reasoning so far, even without a proof.
 *
 * `pieces` are the pieces in which `text` was sent, if several arrived together: callers receive each of them, while
 * everything in between handles one delta.
 */
export type ChatDelta =
  | { readonly type: 'text'; readonly text: string; readonly pieces?: readonly string[] }
  | { readonly type: 'refusal'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string; readonly pieces?: readonly string[] }
  | { readonly type: 'reasoning-end'; readonly signature?: string; readonly encrypted?: string; readonly extra?: Extra }
  | { readonly type: 'tool-arguments'; readonly id: string; readonly name: string; readonly text: string }
  | { readonly type: 'tool-call'; readonly toolCall: ToolCall }
  | ({ readonly type: 'finish' } & Omit<ChatResult, 'content'>);

export interface EmbedRequest {
  readonly model: string;
  /** At most `embedBatch` of the model: the gateway splits longer lists. */
  readonly texts: readonly string[];
  /** Length of the vectors, for models that can shorten them. Default: the model's. */
  readonly dimensions?: number;
}

export interface EmbedResult {
  /**
   * One for each text, in the same order: finite numbers, as many as the model's `dimensions` or the requested ones.
   */
  readonly embeddings: readonly (readonly number[])[];
  /** Of all texts together. */
  readonly tokens: number;
  readonly warnings?: readonly string[];
}

/**
 * Adapter for one vendor's models. `/generate` and function calling are built on `chat`, so a provider needs no more.
 *
 * Failures are created by `providerError`. An invalid body (HTML, no choices, a stream without its end) is a
 * failure, never a response. A provider does not retry, and uses only connections of `services.transport`: that
 * way, all deadlines and aborts reach the socket.
 *
 * An unsupported parameter fails with `unsupported_parameter`; one that had to be expressed differently is
 * named in `warnings`. Nothing is dropped or scaled silently.
 */
export interface Provider extends Lifecycle {
  /** Why the provider is disabled, such as a missing key. It then has no models, which is not a failure. */
  readonly off?: string | undefined;
  /** The models of the provider: a table with the operator's additions, without a request to the vendor. */
  models(): Promise<readonly ModelInfo[]>;
  chat(request: ChatRequest, context: RequestContext): Promise<ChatResult>;
  /**
   * Deltas, or lists of those that arrived together. Ends with exactly one `finish`; a stream that ends without one has
   * failed. Ending the iteration closes the socket.
   */
  stream?(request: ChatRequest, context: RequestContext): AsyncIterable<ChatDelta | readonly ChatDelta[]>;
  embed?(request: EmbedRequest, context: RequestContext): Promise<EmbedResult>;
  /**
   * Send a request in the vendor's own dialect, byte for byte, and return its response the same way: for models with
   * `dialects`. Everything that is not a response is thrown, even if the caller will see it in the vendor's words.
   */
  forward?(request: ForwardRequest, context: RequestContext): Promise<ForwardedResponse>;
}
