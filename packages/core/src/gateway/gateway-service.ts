import type { RequestContext } from '../contracts/context.ts';
import type { OutputWatcher } from '../contracts/executor.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Schema } from '../contracts/json-schema.ts';
import type { FinishReason, Message, Sampling, Tool } from '../contracts/provider.ts';
import type { RoutingOptions } from '../contracts/router.ts';
import type { BreakerState } from './circuit-breaker.ts';
import type { CatalogModel } from './model-catalog.ts';

/** The part of a request that says which model answers. */
export interface ModelChoice {
  /** `<provider>/<model_name>`; absent or `auto`: the gateway chooses. */
  readonly model?: string;
  readonly routing?: RoutingOptions;
}

export interface ChatInput extends ModelChoice, Sampling {
  readonly messages: readonly Message[];
}

export interface GenerateInput extends ModelChoice, Sampling {
  readonly prompt: string;
}

export interface EmbedInput extends ModelChoice {
  readonly text: string;
}

export interface FunctionCallInput extends ModelChoice {
  readonly messages: readonly Message[];
  /** 1 to 128 functions, of which the model chooses one. */
  readonly functions: readonly Tool[];
  readonly temperature?: number;
}

/** A request that is not sent, of which only the choice of a model is asked for. */
export type ExplainInput = (ChatInput | ModelChoice) & {
  /** As for `ObjectInput`: models that did this function badly before come later. */
  readonly functionName?: string;
};

export interface ObjectInput extends ChatInput {
  /** The schema of the answer: of an object, within the schema profile. */
  readonly output: Schema;
  /** Name of the object where a model hands it over by a tool. Default `answer`. */
  readonly outputName?: string;
  /** The function whose output it is: for the log, and for what is learned of the models that do it. */
  readonly functionName?: string;
  /** How often a model is shown what is wrong with its answer before the next model is asked. Default 2. */
  readonly repairs?: number;
}

/** The members of every answer of the gateway. */
export interface Answer {
  readonly id: string;
  /** The model that really answered, as `<provider>/<model_name>`. */
  readonly model: string;
  readonly createdAt: string;
  /** How the model was chosen, for the header `Patchbay-Route`. */
  readonly route: string;
  /** One sentence for each thing that had to be adapted. */
  readonly warnings: readonly string[];
}

export interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

export interface ChatAnswer extends Answer, TokenCounts {
  readonly message: Message & { readonly role: 'assistant' };
  readonly finishReason: FinishReason;
}

export interface GenerateAnswer extends Answer, TokenCounts {
  readonly text: string;
  readonly finishReason: FinishReason;
}

export interface EmbedAnswer extends Answer {
  readonly embedding: readonly number[];
  readonly tokens: number;
}

export interface FunctionCallAnswer extends Answer, TokenCounts {
  readonly functionCall: { readonly name: string; readonly arguments: JsonObject };
}

export interface ObjectAnswer extends Answer, TokenCounts {
  /** Fits the output schema. */
  readonly object: JsonObject;
  /** `length`: the model was cut at its limit, though what it had written until then fits. */
  readonly finishReason: FinishReason;
}

/** A streamed answer after its commit point: the first output is there, so the model is settled. */
export interface StreamedAnswer<A extends Answer> {
  readonly id: string;
  readonly model: string;
  readonly createdAt: string;
  readonly route: string;
  /** Pieces of text, then the whole answer. Throws when the stream is cut; ending the iteration cancels upstream. */
  readonly events: AsyncIterable<{ readonly delta: string } | { readonly done: A }>;
}

/** As `StreamedAnswer`, with pieces of the JSON text of the arguments. After a `restart`, the text so far is void. */
export interface StreamedFunctionCall extends Omit<StreamedAnswer<FunctionCallAnswer>, 'events'> {
  readonly events: AsyncIterable<
    { readonly delta: string } | { readonly restart: string } | { readonly done: FunctionCallAnswer }
  >;
}

/** The explanation for one model. */
export interface ExplainedModel {
  readonly id: string;
  /** Why the model is out; absent where it is in. */
  readonly refused?: string;
  readonly score?: number;
  /** Why it has the place that it has. */
  readonly reason?: string;
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
  /** The models of the providers that are on, as far as the caller's tenant may use them. */
  models(context: RequestContext): readonly CatalogModel[];
  /** @throws PatchbayError `model_not_found`. */
  model(id: string, context: RequestContext): CatalogModel;
  generate(input: GenerateInput, context: RequestContext): Promise<GenerateAnswer>;
  chat(input: ChatInput, context: RequestContext): Promise<ChatAnswer>;
  embed(input: EmbedInput, context: RequestContext): Promise<EmbedAnswer>;
  /** @throws PatchbayError `function_call_invalid` when no model makes a call that fits; `schema_invalid`. */
  generateFunctionCall(input: FunctionCallInput, context: RequestContext): Promise<FunctionCallAnswer>;
  /**
   * Have a model answer with an object that fits a schema, in the firmest way that the model can do.
   *
   * @param watcher Sees the object while it is written. Other models may still be asked meanwhile.
   * @throws PatchbayError `function_output_invalid` when no model makes one that fits; `schema_invalid`.
   */
  generateObject(input: ObjectInput, context: RequestContext, watcher?: OutputWatcher): Promise<ObjectAnswer>;
  /** Resolves at the first output: until then, another model may still take over. */
  streamGenerate(input: GenerateInput, context: RequestContext): Promise<StreamedAnswer<GenerateAnswer>>;
  streamChat(input: ChatInput, context: RequestContext): Promise<StreamedAnswer<ChatAnswer>>;
  /**
   * Resolves at the first piece of the arguments. A call that does not fit is repaired by the same model, after a `restart`.
   *
   * @throws PatchbayError as `generateFunctionCall` does.
   */
  streamFunctionCall(input: FunctionCallInput, context: RequestContext): Promise<StreamedFunctionCall>;
  /** Which models a chat request could go to, in order, and why the others could not. Sends no request. */
  explain(input: ExplainInput, context: RequestContext): Promise<readonly ExplainedModel[]>;
}
