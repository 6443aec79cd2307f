// The second argument of a function, as src/bootstrap/context.js makes it.

/** The second argument of a function. */
interface Context {
  /** The id of this execution. */
  readonly executionId: string;
  /** Aborts shortly before the time limit ends the execution. */
  readonly signal: AbortSignal;
  /** Writes to the logs of this execution. */
  readonly log: {
    debug(...values: unknown[]): void;
    info(...values: unknown[]): void;
    warn(...values: unknown[]): void;
    error(...values: unknown[]): void;
  };
  /** Models, for a caller with the scope gateway:invoke. Every failure is a CallError. */
  readonly ai: {
    generate(request: GenerateRequest, options?: CallOptions): Promise<Generation>;
    chat(request: ChatRequest, options?: CallOptions): Promise<Chat>;
    embed(request: EmbeddingRequest, options?: CallOptions): Promise<Embedding>;
    call(request: FunctionCallRequest, options?: CallOptions): Promise<FunctionCall>;
  };
  /** Other functions of the tenant, for a caller with the scope functions:execute. Each resolves to its output. */
  readonly functions: {
    call(nameOrId: string, input?: object, options?: CallOptions): Promise<any>;
    readonly [name: string]: (input?: any, options?: any, more?: any) => Promise<any>;
  };
  /**
   * Tools of servers that the operator mounted, as far as they are granted to this function: `tools.docs.search({ … })`. Each
   * resolves to its value, or to its text if it has no output schema.
   */
  readonly tools: MountedTools;
  /** The web's fetch, to where the operator lets this function go. */
  fetch(resource: string | URL | Request, options?: FetchOptions): Promise<Response>;
  /** Placeholder for a secret that the operator granted to this function, for a header of fetch. */
  readonly secrets: { get(name: string): string } & { readonly [name: string]: string };
}

/** The tools of a server that did not say which ones it has. */
interface UnknownTools {
  readonly [tool: string]: UnknownTool;
}
type UnknownTool = (input?: object, options?: CallOptions) => Promise<any>;

interface CallOptions {
  signal?: AbortSignal;
}

/** The error with which a call of the context rejects. */
interface CallError extends Error {
  /** An error code of Patchbay, such as insufficient_scope. */
  readonly code: string;
  readonly retryable: boolean;
  readonly errors: { readonly pointer: string; readonly code: string; readonly detail: string }[];
}

interface FetchOptions extends CallOptions {
  method?: string;
  headers?: Headers | Record<string, string> | Iterable<[string, string]>;
  body?: string | BufferSource | Blob | FormData | URLSearchParams | ReadableStream | null;
  redirect?: 'follow' | 'manual' | 'error';
}

interface ModelChoice {
  model?: string;
  routing?: {
    capabilities?: string[];
    optimize?: 'quality' | 'cost' | 'performance' | 'balanced';
    maxPrice?: number;
    providers?: { allow?: string[]; deny?: string[] };
    fallbacks?: string[];
    onInterrupt?: 'error' | 'resume';
    explore?: boolean;
  };
}
interface Sampling {
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
}
interface PartMembers {
  cache?: { ttl?: '5m' | '1h' };
  extra?: Record<string, object>;
}
interface FileMembers extends PartMembers {
  url?: string;
  data?: string;
  mediaType?: string;
}
type AnswerPart = PartMembers &
  (
    | { type: 'text' | 'refusal'; text: string }
    | { type: 'reasoning'; text: string; signature?: string; encrypted?: string; by?: string }
    | { type: 'tool-call'; id: string; name: string; arguments: any }
  );
type ContentPart =
  | AnswerPart
  | (FileMembers & { type: 'image' | 'audio' })
  | (FileMembers & { type: 'file'; name?: string });
interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | ContentPart[];
  /** In place of `content`: those of a response, sent back as it came. */
  parts?: AnswerPart[];
  toolCalls?: { id: string; name: string; arguments: object }[];
  toolCallId?: string;
  isError?: boolean;
}
interface Tool {
  name: string;
  description?: string;
  parameters: object;
  cache?: { ttl?: '5m' | '1h' };
}
interface GenerateRequest extends ModelChoice, Sampling {
  prompt: string;
}
interface ChatRequest extends ModelChoice, Sampling {
  messages: Message[];
  /** Beside those of the request, names of tools that are granted to this function: `docs.search`, `docs.*`. */
  tools?: (Tool | string)[];
  toolLoop?: { maxSteps?: number };
  toolChoice?: 'auto' | 'none' | 'required' | { name: string };
  parallelToolCalls?: boolean;
  stop?: string[];
  seed?: number;
  reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
  responseSchema?: object;
}
interface EmbeddingRequest extends ModelChoice {
  text: string;
  dimensions?: number;
}
interface FunctionCallRequest extends ModelChoice {
  messages: Message[];
  functions: (Tool | string)[];
  toolLoop?: { maxSteps?: number };
  temperature?: number;
}
interface ModelAnswer {
  readonly id: string;
  readonly model: string;
  readonly createdAt: string;
  readonly warnings?: string[];
}
interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}
interface Generation extends ModelAnswer, TokenCounts {
  readonly text: string;
  readonly finishReason: string;
}
interface Chat extends ModelAnswer, TokenCounts {
  readonly message: { readonly role: 'assistant'; readonly content: string; readonly parts?: AnswerPart[] };
  readonly finishReason: string;
  /** Of a `toolLoop`: the turns that it added. */
  readonly messages?: Message[];
}
interface Embedding extends ModelAnswer {
  readonly embedding: number[];
  readonly tokens: number;
}
interface FunctionCall extends ModelAnswer, TokenCounts {
  readonly functionCall: { readonly name: string; readonly arguments: any };
}
