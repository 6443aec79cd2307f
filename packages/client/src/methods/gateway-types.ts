/** `<provider>/<model_name>`; absent or `auto`: the server chooses. */
interface ModelChoice {
  readonly model?: string;
  /** How the server is to choose; an extension of the interface. */
  readonly routing?: {
    readonly capabilities?: readonly string[];
    readonly optimize?: 'quality' | 'cost' | 'performance' | 'balanced';
    /** USD that 1,000,000 tokens may cost. */
    readonly maxPrice?: number;
    readonly providers?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
    readonly fallbacks?: readonly string[];
  };
}

interface Sampling {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
}

interface Answer {
  readonly id: string;
  /** The model that answered. */
  readonly model: string;
  readonly createdAt: string;
  /** What had to be adapted. */
  readonly warnings?: readonly string[];
}

interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

export interface GenerationBody extends ModelChoice, Sampling {
  readonly prompt: string;
}

export interface Generation extends Answer, TokenCounts {
  readonly text: string;
}

/** Images are an extension of the interface. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'image'; readonly data: string; readonly mediaType: string };

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string | readonly ContentPart[];
}

export interface ChatBody extends ModelChoice, Sampling {
  readonly messages: readonly ChatMessage[];
}

export interface Chat extends Answer, TokenCounts {
  readonly message: { readonly role: 'assistant'; readonly content: string };
}

export interface EmbeddingBody extends ModelChoice {
  readonly text: string;
}

export interface Embedding extends Answer {
  readonly embedding: readonly number[];
  readonly tokens: number;
}

export interface FunctionCallingBody extends ModelChoice {
  readonly messages: readonly ChatMessage[];
  readonly functions: readonly {
    readonly name: string;
    readonly description?: string;
    /** JSON Schema of type object. */
    readonly parameters: object;
  }[];
  readonly temperature?: number;
}

export interface FunctionCall extends Answer, TokenCounts {
  readonly functionCall: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

export interface ModelSummary {
  /** `<provider>/<model_name>` */
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly maxTokens?: number;
  readonly dimensions?: number;
}

export interface Model extends ModelSummary {
  readonly createdAt: string;
  /** USD per 1,000,000 tokens; absent where unknown. */
  readonly pricing?: {
    readonly input: number;
    readonly output: number;
    /** Input that the vendor reads from its cache, or writes into it. Absent: priced like other input. */
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
}
