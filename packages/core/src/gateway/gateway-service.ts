import type { RequestContext } from '@patchbay/contracts/context';
import type { OutputWatcher } from '@patchbay/contracts/executor';
import type { ForwardedResponse } from '@patchbay/contracts/forward';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { AssistantPart, Extra } from '@patchbay/contracts/message';
import type { ChatRequest, FinishReason, Sampling, Tool, Usage } from '@patchbay/contracts/provider';
import type { LearnedQuality, RoutingOptions } from '@patchbay/contracts/router';
import type { ReceivedMessage } from './check-gateway-input.ts';
import type { BreakerState } from './circuit-breaker.ts';
import type { CatalogModel, ModelAliases } from './model-catalog.ts';
import type { OriginalRequest } from './original-request.ts';
import type { Batched } from './stream-events.ts';

/** The model selection of a request. */
export interface ModelChoice {
  /** `<provider>/<model_name>`; absent or `auto`: the gateway chooses. */
  readonly model?: string;
  readonly routing?: RoutingOptions;
}

/** The members of a chat request besides messages and sampling. */
export type ChatOptions = Pick<
  ChatRequest,
  | 'tools'
  | 'toolChoice'
  | 'parallelToolCalls'
  | 'stop'
  | 'seed'
  | 'reasoningEffort'
  | 'responseSchema'
  | 'responseJson'
  | 'extra'
>;

export interface ChatInput extends ModelChoice, Sampling, ChatOptions {
  readonly messages: readonly ReceivedMessage[];
}

/**
 * The gateway calls tools of mounted servers and sends their results to the model, until the model no longer calls any.
 */
export interface ToolLoop {
  /** Requests to models. Default 10. */
  readonly maxSteps?: number;
}

/** A chat that may name tools of mounted servers, as `docs.search` or `docs.*`, which the gateway calls in a `toolLoop`. */
export interface ToolChatInput extends Omit<ChatInput, 'tools'> {
  readonly tools?: readonly (Tool | string)[];
  readonly toolLoop?: ToolLoop;
}

/** The result of a tool that the gateway called. Pieces of the model's next message follow. */
export interface ToolResultPiece {
  readonly toolResult: {
    /** That of the call. */
    readonly id: string;
    readonly name: string;
    readonly content: string;
    readonly isError?: boolean;
  };
}

/** The next piece of a text. */
export interface TextPiece {
  readonly delta: string;
  /** The pieces of `delta`, if several arrived together. */
  readonly pieces?: readonly string[];
}

/** A piece of a streamed message. */
export type ChatPiece =
  | TextPiece
  | { readonly refusal: string }
  | { readonly reasoning: string; readonly pieces?: readonly string[] }
  /** The reasoning so far is complete, with what its vendor expects back. */
  | { readonly reasoningEnd: { readonly signature?: string; readonly encrypted?: string } }
  /** The next piece of the JSON text of the arguments; the first one of an id may be empty. */
  | { readonly toolCall: { readonly id: string; readonly name: string; readonly arguments: string } };

/** From here on, another model continues a stream that was interrupted. All text so far stays. */
export interface Resumed {
  readonly resumed: {
    /** As `<provider>/<model_name>`. */
    readonly model: string;
    /** As in `Patchbay-Route`, with the model that was interrupted and the one that continues. */
    readonly route: string;
  };
}

export interface GenerateInput extends ModelChoice, Sampling {
  readonly prompt: string;
}

interface EmbedOptions extends ModelChoice {
  /** Length of the vectors, for models that can shorten them. Default: the model's. */
  readonly dimensions?: number;
}

export interface EmbedInput extends EmbedOptions {
  readonly text: string;
}

export interface EmbedManyInput extends EmbedOptions {
  readonly texts: readonly string[];
}

export interface FunctionCallInput extends ModelChoice {
  readonly messages: readonly ReceivedMessage[];
  /** 1 to 128 functions, of which the model calls one. */
  readonly functions: readonly Tool[];
  readonly temperature?: number;
}

/** A function call for which the model may call tools of mounted servers first. One of the caller's functions ends the loop. */
export interface ToolFunctionCallInput extends Omit<FunctionCallInput, 'functions'> {
  readonly functions: readonly (Tool | string)[];
  readonly toolLoop?: ToolLoop;
}

/** A request that is only explained, not sent. */
export type ExplainInput = (ToolChatInput | ModelChoice) & {
  /** As in `ObjectInput`: models with a bad record for this function rank lower. */
  readonly functionName?: string;
  readonly settingsVersion?: number;
};

export interface ObjectInput extends ChatInput {
  /** Schema of the output: an object, within the schema profile. */
  readonly output: Schema;
  /** Name of the object if a model returns it by a tool call. Default `answer`. */
  readonly outputName?: string;
  /** The function whose output it is: for the log, and for the record of models. */
  readonly functionName?: string;
  /** Version of the settings of the function, which has a record of models for each. Default 0: none are stored. */
  readonly settingsVersion?: number;
  /** Maximum number of repairs before the next model is called. Default 2. */
  readonly repairs?: number;
}

/** The members of every response of the gateway. */
export interface Answer {
  readonly id: string;
  /** The model that responded, as `<provider>/<model_name>`. */
  readonly model: string;
  readonly createdAt: string;
  /** How the model was chosen, for the header `Patchbay-Route`. */
  readonly route: string;
  /** One sentence for each adaptation of the request. */
  readonly warnings: readonly string[];
}

export interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

export interface ChatAnswer extends Answer, TokenCounts {
  /** The token counts in full: cached and reasoning tokens are separate. */
  readonly usage: Usage;
  /** Members of the response that only one wire format has. */
  readonly extra?: Extra;
  /** Can be sent back as it is. */
  readonly message: {
    readonly role: 'assistant';
    /** All text parts, concatenated. */
    readonly content: string;
    /** In order. Absent where the response is a single text. */
    readonly parts?: readonly AssistantPart[];
  };
  readonly finishReason: FinishReason;
  /** For a `toolLoop`: the turns that it added, to be sent back unchanged. The last assistant turn is `message`. */
  readonly messages?: readonly ReceivedMessage[];
}

export interface GenerateAnswer extends Answer, TokenCounts {
  readonly text: string;
  readonly finishReason: FinishReason;
}

/** The vectors of several texts, in the same order. */
export interface EmbedManyAnswer extends Answer {
  readonly embeddings: readonly (readonly number[])[];
  readonly tokens: number;
}

export interface EmbedAnswer extends Answer {
  readonly embedding: readonly number[];
  readonly tokens: number;
}

export interface FunctionCallAnswer extends Answer, TokenCounts {
  readonly functionCall: { readonly name: string; readonly arguments: JsonObject };
}

export interface ObjectAnswer extends Answer, TokenCounts {
  /** Matches the output schema. */
  readonly object: JsonObject;
  /** `length`: truncated at the token limit, but valid. */
  readonly finishReason: FinishReason;
}

/** A stream after its commit point: the first output has arrived. */
export interface StreamedAnswer<A extends Answer, P = TextPiece> extends Answer {
  /** Those that are known before the output. The result has all of them. */
  readonly warnings: readonly string[];
  /** Pieces of text, then the complete result. Throws if the stream ends early; ending the iteration cancels upstream. */
  readonly events: Batched<P | Resumed | { readonly done: A }>;
}

/** A request in the dialect of a vendor, which models of other vendors receive in the terms of the gateway. */
export interface RelayInput<I extends ModelChoice> extends ModelChoice {
  readonly original: OriginalRequest;
  /** @throws PatchbayError `invalid_request` for what models of other vendors cannot do. */
  readonly translate: () => I;
}

/** A response as the vendor sent it. */
export interface ForwardedAnswer extends Answer {
  /** A stream keeps the request open until its pieces have been read, or their iteration has ended. */
  readonly forwarded: ForwardedResponse;
}

/** A piece of the JSON text of the arguments, or a restart that voids all text so far. */
export type FunctionCallPiece = TextPiece | { readonly restart: string };

/** The explanation for one model. */
export interface ExplainedModel {
  readonly id: string;
  /** Why the model is excluded; absent for candidates. */
  readonly refused?: string;
  readonly score?: number;
  /** Reason for its rank. */
  readonly reason?: string;
  /** As in `RankedModel`. */
  readonly propensity?: number;
  readonly learned?: LearnedQuality;
  readonly state: BreakerState;
}

/**
 * Every model behind one interface.
 *
 * All methods throw `PatchbayError`: `model_not_found`, `model_capability_mismatch`, `unsupported_parameter`,
 * `context_length_exceeded`, `content_filtered`, `no_provider_available`, or one of the `provider_` codes once every
 * model that may be tried has failed.
 */
export interface GatewayService {
  /** The models of enabled providers that the caller's tenant may use. */
  models(context: RequestContext): readonly CatalogModel[];
  /** @throws PatchbayError `model_not_found`. */
  model(id: string, context: RequestContext): CatalogModel;
  /** The aliases of the config. The tenant may not use all of their models. */
  aliases(): ModelAliases;
  /** Whether a chat with this model executes a function, and has to count as an execution. */
  executes(model: string | undefined): boolean;
  generate(input: GenerateInput, context: RequestContext): Promise<GenerateAnswer>;
  chat(input: ToolChatInput, context: RequestContext): Promise<ChatAnswer>;
  embed(input: EmbedInput, context: RequestContext): Promise<EmbedAnswer>;
  /** In as many upstream requests as the vendor's limit requires. */
  embedMany(input: EmbedManyInput, context: RequestContext): Promise<EmbedManyAnswer>;
  /** @throws PatchbayError `function_call_invalid` if no model returns a valid call; `schema_invalid`. */
  generateFunctionCall(input: ToolFunctionCallInput, context: RequestContext): Promise<FunctionCallAnswer>;
  /**
   * Generate an object that matches a schema, with the strictest technique that the model supports.
   *
   * @param watcher Receives the partial object. Fallbacks are still possible meanwhile.
   * @throws PatchbayError `function_output_invalid` if no model returns a valid object; `schema_invalid`.
   */
  generateObject(input: ObjectInput, context: RequestContext, watcher?: OutputWatcher): Promise<ObjectAnswer>;
  /** Resolves at the first output: until then, fallbacks are possible. */
  streamGenerate(input: GenerateInput, context: RequestContext): Promise<StreamedAnswer<GenerateAnswer>>;
  streamChat(
    input: ToolChatInput,
    context: RequestContext,
  ): Promise<StreamedAnswer<ChatAnswer, ChatPiece | ToolResultPiece>>;
  /**
   * Resolves at the first piece of the arguments. An invalid call is repaired by the same model, after a `restart`.
   *
   * @throws PatchbayError as `generateFunctionCall` does.
   */
  streamFunctionCall(
    input: ToolFunctionCallInput,
    context: RequestContext,
  ): Promise<StreamedAnswer<FunctionCallAnswer, FunctionCallPiece>>;
  /**
   * As `chat`, for a request in the dialect of a vendor: models whose provider speaks it receive it as it was sent, and
   * their response comes back as it is.
   *
   * @throws PatchbayError `stored_object_not_found` for ids that the tenant did not receive here. The refusal of a vendor
   *   that received the request as it was sent is in `upstream.refusal`.
   */
  relayChat(input: RelayInput<ChatInput>, context: RequestContext): Promise<ForwardedAnswer | ChatAnswer>;
  relayStreamedChat(
    input: RelayInput<ChatInput>,
    context: RequestContext,
  ): Promise<ForwardedAnswer | StreamedAnswer<ChatAnswer, ChatPiece>>;
  /**
   * The token count by the vendor of a model. Undefined if no vendor with that dialect has the model, which could answer the
   * message: others are refused as `relayChat` does.
   */
  relayTokenCount(
    input: Omit<RelayInput<never>, 'translate'>,
    context: RequestContext,
  ): Promise<ForwardedAnswer | undefined>;
  relayEmbedding(
    input: RelayInput<EmbedManyInput>,
    context: RequestContext,
  ): Promise<ForwardedAnswer | EmbedManyAnswer>;
  /** Explain which models could serve a chat request, in order, and why others could not. Sends no request. */
  explain(input: ExplainInput, context: RequestContext): Promise<readonly ExplainedModel[]>;
}
