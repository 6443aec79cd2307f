import type { RequestContext } from './context.ts';
import type { JsonObject } from './json.ts';
import type { Schema } from './json-schema.ts';
import type { Lifecycle } from './lifecycle.ts';

/** What a model can do. `chat`, `code`, `reasoning`, `vision` and `embeddings` are those of the specification. */
export type ModelCapability = 'chat' | 'code' | 'reasoning' | 'vision' | 'embeddings' | 'tools' | 'structured-output';

/** A model as its provider knows it. */
export interface ModelInfo {
  /** Without the provider's name: `gpt-5`, not `openai/gpt-5`. */
  readonly name: string;
  readonly capabilities: readonly ModelCapability[];
  /** Tokens that one answer may have. On text models. */
  readonly maxTokens?: number;
  /** Tokens of question and answer together. */
  readonly contextWindow?: number;
  /** Length of a vector. On embedding models. */
  readonly dimensions?: number;
  /** USD per 1,000,000 tokens. Absent where unknown: unknown is not free. */
  readonly pricing?: { readonly input: number; readonly output: number };
  /** When the vendor published the model. ISO 8601. */
  readonly createdAt?: string;
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

export interface ChatRequest extends Sampling {
  /** Without the provider's name. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** Default: `auto` where there are tools. */
  readonly toolChoice?: 'auto' | 'required' | { readonly name: string };
  /** The answer has to be JSON that fits this schema. */
  readonly responseSchema?: Schema;
}

/** Tokens, in buckets that do not overlap except where said. */
export interface Usage {
  /** Tokens of the question that were neither read from nor written to the provider's cache. */
  readonly uncachedInputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** The part of `outputTokens` that was spent on thinking. */
  readonly reasoningTokens: number;
}

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter';

export interface ChatResult {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** One sentence for each thing of the request that had to be adapted. Nothing is dropped silently. */
  readonly warnings?: readonly string[];
}

/** A piece of a streamed answer. The pieces of one stream add up to what `chat` would have returned. */
export type ChatDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly toolCall: ToolCall }
  | { readonly type: 'finish'; readonly finishReason: FinishReason; readonly usage: Usage };

export interface EmbedRequest {
  readonly model: string;
  readonly text: string;
}

export interface EmbedResult {
  readonly embedding: readonly number[];
  readonly tokens: number;
}

/**
 * Speaks with one vendor's models. `/generate` and function calling are built on `chat`, so it is all a provider needs.
 *
 * Failures are `PatchbayError`s with one of the `provider_` codes, `unsupported_parameter`, `context_length_exceeded`
 * or `content_filtered`. A body that is not an answer (HTML, no choices, a stream without its end) is
 * `provider_bad_response`, never an answer. A provider does not retry: that is the gateway's job.
 */
export interface Provider extends Lifecycle {
  models(): Promise<readonly ModelInfo[]>;
  chat(request: ChatRequest, context: RequestContext): Promise<ChatResult>;
  /** Ends with exactly one `finish`; a stream that ends without one has failed. */
  stream?(request: ChatRequest, context: RequestContext): AsyncIterable<ChatDelta>;
  embed?(request: EmbedRequest, context: RequestContext): Promise<EmbedResult>;
}
