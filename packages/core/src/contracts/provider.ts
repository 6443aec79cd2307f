import type { RequestContext } from './context.ts';
import type { JsonObject } from './json.ts';
import type { Schema } from './json-schema.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Capabilities of models. The first five are those of the specification. */
export const modelCapabilities = [
  'chat',
  'code',
  'reasoning',
  'vision',
  'embeddings',
  'tools',
  'structured-output',
] as const;

export type ModelCapability = (typeof modelCapabilities)[number];

/** USD per 1,000,000 tokens. Cached tokens cost what other input does, unless they have a separate price. */
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
  /** Tokens that one response may have. On text models. */
  readonly maxTokens?: number;
  /** Tokens of prompt and response together. */
  readonly contextWindow?: number;
  /** Dimensions of an embedding. On embedding models. */
  readonly dimensions?: number;
  /** USD per 1,000,000 tokens. Absent where unknown: unknown is not free. Default: the list price of `vendor`. */
  readonly pricing?: ModelPricing;
  /** Whose price list has the model: `openai`, `anthropic`, `google`. Absent for models without a list price. */
  readonly vendor?: string;
  /** When the vendor published the model. ISO 8601. */
  readonly createdAt?: string;
  /** Quality to assume before any response was seen, 0 to 1. Default 0.5. */
  readonly quality?: number;
  /** Sampling parameters the model rejects. */
  readonly unsupported?: readonly (keyof Sampling)[];
  /** Where it is below 2. */
  readonly maxTemperature?: number;
  /** The page that these facts were read on, and the day, as `YYYY-MM-DD`. */
  readonly source?: { readonly url: string; readonly checkedAt: string };
  /** Chosen automatically only while no other provider has a model. */
  readonly lastResort?: boolean;
}

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'image'; readonly data: string; readonly mediaType: string };

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string | readonly ContentPart[] }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

/** A function that the model may ask for. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: Schema;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Values that are left out are not sent, so that the provider's own defaults apply. */
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
  /** Default: `auto` where there are tools. */
  readonly toolChoice?: 'auto' | 'required' | { readonly name: string };
  /** The response must be JSON that fits this schema. */
  readonly responseSchema?: Schema;
}

/** Tokens, in buckets that do not overlap except where said. */
export interface Usage {
  /** Tokens of the prompt that were neither read from nor written to the provider's cache. */
  readonly uncachedInputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** The part of `outputTokens` that was spent on thinking. */
  readonly reasoningTokens: number;
  /** The provider did not say; the numbers are estimates. */
  readonly estimated?: boolean;
}

export const finishReasons = ['stop', 'length', 'tool-calls', 'content-filter'] as const;

export type FinishReason = (typeof finishReasons)[number];

export interface ChatResult {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** The model that responded, as the vendor names it: often the requested one, with its date. For traces. */
  readonly model?: string;
  /** One sentence for each parameter that had to be adapted. Nothing is dropped silently. */
  readonly warnings?: readonly string[];
}

/**
 * A piece of a streamed response. The pieces of one stream add up to what `chat` would have returned. Before the first
 * `text` or `tool-call` the gateway may still turn to another model; after it, it cannot.
 *
 * `tool-arguments` is a piece of the JSON text of the arguments of the first tool call, sent before the call is complete
 * so that it can be shown early. A provider whose upstream sends arguments whole leaves it out.
 */
export type ChatDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-arguments'; readonly text: string }
  | { readonly type: 'tool-call'; readonly toolCall: ToolCall }
  | {
      readonly type: 'finish';
      readonly finishReason: FinishReason;
      readonly usage: Usage;
      readonly model?: string;
      readonly warnings?: readonly string[];
    };

export interface EmbedRequest {
  readonly model: string;
  readonly text: string;
}

export interface EmbedResult {
  /** Finite numbers, as many as the model's `dimensions`. */
  readonly embedding: readonly number[];
  readonly tokens: number;
  readonly warnings?: readonly string[];
}

/**
 * Speaks with one vendor's models. `/generate` and function calling are built on `chat`, so it is all a provider needs.
 *
 * Failures are made by `providerError`. A body that is not a response (HTML, no choices, a stream without its end) is a
 * failure, never a response. A provider does not retry, and uses no connection but those of `services.transport`: that
 * way every deadline and every abort reaches the socket.
 *
 * A parameter that the model does not support is `unsupported_parameter`; one that had to be expressed in another way is
 * named in `warnings`. Nothing is dropped or scaled silently.
 */
export interface Provider extends Lifecycle {
  /** Why the provider cannot be used, such as a missing key. It is then no failure, and has no models. */
  readonly off?: string;
  /** Models to offer. No call upstream: a table, with the operator's additions. */
  models(): Promise<readonly ModelInfo[]>;
  chat(request: ChatRequest, context: RequestContext): Promise<ChatResult>;
  /** Ends with exactly one `finish`; a stream that ends without one has failed. Ending the iteration closes the socket. */
  stream?(request: ChatRequest, context: RequestContext): AsyncIterable<ChatDelta>;
  embed?(request: EmbedRequest, context: RequestContext): Promise<EmbedResult>;
}
