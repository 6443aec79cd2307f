import type { RequestOptions } from '../http/client-config.ts';
import { type Http, type HttpRequest, pathSegment } from '../http/http.ts';
import { createResultStream, type ResultStream } from '../http/result-stream.ts';

/** One method per endpoint of the interface, with its request and response types. */
export type Endpoints = ReturnType<typeof createEndpoints>;

/** Pieces of text, which add up to the completion. `final()` resolves to the complete response. */
export type TextStream<Answer> = ResultStream<string, Answer>;

/** An endpoint that can stream. */
export interface Streamable<Body, Answer> {
  (body: Body & { readonly stream: true }, options?: RequestOptions): TextStream<Answer>;
  (body: Body & { readonly stream?: false }, options?: RequestOptions): Promise<Answer>;
  (body: Body & { readonly stream?: boolean }, options?: RequestOptions): TextStream<Answer> | Promise<Answer>;
}

export function createEndpoints(http: Http) {
  const send = async <T>(
    method: HttpRequest['method'],
    path: string,
    body: unknown,
    options: RequestOptions = {},
  ): Promise<T> => (await http({ ...options, method, path, body })).json as T;
  const post =
    <Body, Answer>(path: string) =>
    (body: Body, options?: RequestOptions): Promise<Answer> =>
      send('POST', path, body, options);
  const streamable = <Body extends object, Answer>(path: string, addsUp = true) =>
    ((body: Body & { readonly stream?: boolean }, options?: RequestOptions) => {
      if (!body.stream) return send('POST', path, body, options);
      return createResultStream(http({ ...options, method: 'POST', path, body }), {
        pieceOf: (document, before = '') => (addsUp ? '' : before) + textOf(document),
        addsUp,
        finish: (answer) => answer as Answer,
      });
    }) as Streamable<Body, Answer>;
  const ofFunction = (id: string): string => `/functions/${pathSegment(id)}`;

  return {
    /** `POST /generate`; with `stream: true`, a stream of text. */
    generate: streamable<GenerationBody, Generation>('/generate'),
    /** `POST /chat`; with `stream: true`, a stream of text. Tool calls are in the message of `final()`. */
    chat: streamable<ChatBody, Chat>('/chat'),
    /** `POST /embeddings` */
    embeddings: post<EmbeddingBody, Embedding>('/embeddings'),
    /**
     * `POST /function-calling`; with `stream: true`, the JSON of the arguments as it is generated. Each piece is all
     * of it so far, and shorter than the previous one if the arguments were invalid and the server retried.
     */
    functionCalling: streamable<FunctionCallingBody, FunctionCall>('/function-calling', false),
    /** `POST /feedback`: how good a response was, by its `id`. */
    feedback: post<FeedbackBody, Feedback>('/feedback'),
    models: {
      /** `GET /models` */
      list: (options?: RequestOptions) =>
        send<{ readonly data: readonly ModelSummary[] }>('GET', '/models', undefined, options),
      /** `GET /models/:id`, such as `openai/gpt-4`. */
      get: (id: string, options?: RequestOptions) =>
        // The slash between provider and name stays one.
        send<Model>('GET', `/models/${id.split('/').map(pathSegment).join('/')}`, undefined, options),
    },
    functions: {
      /** `GET /functions` */
      list: (query: ListQuery = {}, options?: RequestOptions) =>
        send<FunctionPage>('GET', `/functions${queryOf(query)}`, undefined, options),
      /** `GET /functions/:id` */
      get: (id: string, options?: RequestOptions) => send<StoredFunction>('GET', ofFunction(id), undefined, options),
      /** `POST /functions` */
      create: post<FunctionBody, StoredFunction>('/functions'),
      /** `PUT /functions/:id`: replaces the whole function. */
      replace: (id: string, body: FunctionBody, options?: RequestOptions) =>
        send<StoredFunction>('PUT', ofFunction(id), body, options),
      /** `DELETE /functions/:id` */
      delete: (id: string, options?: RequestOptions) =>
        send<{ readonly success: boolean; readonly message: string }>('DELETE', ofFunction(id), undefined, options),
      /** `POST /functions/:id/execute` */
      execute: (id: string, input: object = {}, options?: RequestOptions) =>
        send<Execution>('POST', `${ofFunction(id)}/execute`, { input }, options),
    },
  } as const;
}

/** The text of a delta, or of a complete response. Empty for deltas of other kinds, such as tool calls. */
function textOf(document: unknown): string {
  const { text, message, functionCall } = document as Partial<Generation & Chat & FunctionCall>;
  return text ?? message?.content ?? (functionCall ? JSON.stringify(functionCall.arguments) : '');
}

function queryOf(query: ListQuery): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
}

/** A function to store. */
export interface FunctionBody {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the input object. */
  readonly input: object;
  /** JSON Schema of the output object. */
  readonly output: object;
  /** JavaScript or TypeScript. Omitted for a function backed by a model. */
  readonly code?: string;
  /** The code bundled with the packages that it imports, as one module that runs instead. */
  readonly bundle?: FunctionBundle;
  /** Settings for models: `model`, `system`, `prompt`, `temperature` and so on; an extension. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

interface FunctionBundle {
  /** JavaScript module whose default export is the function. */
  readonly module: string;
  /** Source map of the module, one of whose sources is the code. */
  readonly sourceMap?: { readonly version: 3; readonly sources: readonly string[]; readonly mappings: string };
  readonly packages: readonly BundledPackage[];
}

interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** Hash as in lockfiles: `sha512-…`. */
  readonly integrity: string;
  /** Number of bytes of the module that come from this package. */
  readonly bytes?: number;
}

export interface FunctionSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface StoredFunction extends FunctionSummary {
  readonly input: object;
  readonly output: object;
  readonly code: string;
  /** The packages in its bundle. Absent without a bundle. */
  readonly packages?: readonly BundledPackage[];
}

export interface ListQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
}

export interface FunctionPage {
  readonly data: readonly FunctionSummary[];
  readonly meta: { readonly total: number; readonly limit: number; readonly offset: number };
}

export interface Execution {
  readonly id: string;
  readonly functionId: string;
  readonly status: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly completedAt: string;
}

export interface FeedbackOptions {
  /** Default: `score`. */
  readonly metric?: string;
  readonly comment?: string;
  /** JSON: what the answer should have been. */
  readonly demonstration?: unknown;
}

export interface FeedbackBody extends FeedbackOptions {
  /** Id of a call, chat, generation, function call or execution. */
  readonly target: string;
  /** A boolean or a number from 0 to 1; a string only for metrics without `optimize`. */
  readonly value: boolean | number | string;
}

export interface Feedback {
  readonly id: string;
  readonly target: string;
  readonly metric: string;
  readonly value: boolean | number | string;
  readonly comment: string | null;
  readonly demonstration: unknown;
  readonly functionId: string | null;
  readonly name: string | null;
  readonly settingsVersion: number | null;
  readonly model: string | null;
  readonly createdAt: string;
  readonly createdBy: string;
}

/** `<provider>/<model_name>`; absent or `auto`: the server chooses. */
interface ModelChoice {
  readonly model?: string;
  /** Options for the choice of a model; an extension of the interface. */
  readonly routing?: {
    readonly capabilities?: readonly string[];
    readonly optimize?: 'quality' | 'cost' | 'performance' | 'balanced';
    /** Maximum USD per 1,000,000 tokens. */
    readonly maxPrice?: number;
    readonly providers?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
    readonly fallbacks?: readonly string[];
    /** Whether another model continues an interrupted stream of text. Default `resume`. */
    readonly onInterrupt?: 'error' | 'resume';
    /** Whether a learning router may try a model although another is expected to be better. Default `true`. */
    readonly explore?: boolean;
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
  /** The model that responded. */
  readonly model: string;
  readonly createdAt: string;
  /** Parts of the request that were adapted. */
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

interface PartMembers {
  /** The prompt may be cached up to here, for vendors that cache on request only. */
  readonly cache?: { readonly ttl?: '5m' | '1h' };
  /** Members of one vendor's format, by its name. */
  readonly extra?: Readonly<Record<string, object>>;
}

interface TextPart extends PartMembers {
  readonly type: 'text';
  readonly text: string;
}

type FileSource = { readonly url: string } | { readonly data: string; readonly mediaType: string };

/** Part of a question. Parts other than text are an extension of the interface. */
export type ContentPart =
  | TextPart
  | (PartMembers & { readonly type: 'image' } & FileSource)
  | (PartMembers & { readonly type: 'audio'; readonly data: string; readonly mediaType: string })
  | (PartMembers & { readonly type: 'file'; readonly name?: string } & FileSource);

/** A tool call in a message. */
export interface ToolCallPart extends PartMembers {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Part of an answer; an extension of the interface. */
export type AnswerPart =
  | TextPart
  | ToolCallPart
  | (PartMembers & { readonly type: 'refusal'; readonly text: string })
  | (PartMembers & {
      readonly type: 'reasoning';
      readonly text: string;
      readonly signature?: string;
      readonly encrypted?: string;
      readonly by?: string;
    });

/** Messages with the role `tool`, and parts of the assistant, are an extension of the interface. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string | readonly AnswerPart[];
      /** Instead of `content`: the parts of a response, sent back unchanged. */
      readonly parts?: readonly AnswerPart[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string | readonly ContentPart[];
      readonly isError?: boolean;
    };

/** A function that a model may call. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of type object. */
  readonly parameters: object;
  /** The prompt may be cached up to here, for vendors that cache on request only. */
  readonly cache?: { readonly ttl?: '5m' | '1h' };
}

export interface ChatBody extends ModelChoice, Sampling {
  readonly messages: readonly ChatMessage[];
  /** The members from here on are an extension of the interface. */
  readonly tools?: readonly Tool[];
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallelToolCalls?: boolean;
  /** Strings that end the completion. */
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
  /** JSON Schema that the text matches. */
  readonly responseSchema?: object;
}

export interface Chat extends Answer, TokenCounts {
  /** Can be sent back as it is. */
  readonly message: {
    readonly role: 'assistant';
    /** All text parts, concatenated. */
    readonly content: string;
    /** Absent if the message is a single text. */
    readonly parts?: readonly AnswerPart[];
  };
  readonly finishReason?: 'stop' | 'length' | 'tool-calls' | 'content-filter';
}

export interface EmbeddingBody extends ModelChoice {
  readonly text: string;
  /** Length of the vector, for models that can shorten it; an extension of the interface. */
  readonly dimensions?: number;
}

export interface Embedding extends Answer {
  readonly embedding: readonly number[];
  readonly tokens: number;
}

export interface FunctionCallingBody extends ModelChoice {
  readonly messages: readonly ChatMessage[];
  readonly functions: readonly Tool[];
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
