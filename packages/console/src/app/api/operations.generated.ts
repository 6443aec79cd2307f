// Written by `vitest run scripts/console-api -u` from the table of operations.

export type Schema = {
  /** object, array, string, number, integer, boolean, null, or a list of these. */
  type?: unknown;
  /** Schema of each property. */
  properties?: {
    [name: string]: Schema;
  };
  /** Names of the required properties. */
  required?: (string)[];
  items?: Schema;
  description?: string;
  /** Value used if the property is omitted. */
  default?: unknown;
  /** The allowed values. */
  enum?: (unknown)[];
};

export type FunctionInput = {
  /** Free text for people. Not unique. */
  name: string;
  /** Purpose of the function. */
  description?: string;
  input: Schema;
  output: Schema;
  /** JavaScript or TypeScript with one function: `export default`, a named function, a function expression, or `main`. Omitted or empty if a model implements the function. */
  code?: string;
  bundle?: FunctionBundle;
  settings?: FunctionSettings;
};

export type FunctionBundle = {
  /** JavaScript module whose default export is the function. It may import built-ins of Node.js that need no permission, such as `node:buffer` and `node:crypto`, and nothing else. */
  module: string;
  /** Source map of the module, version 3, so that stack traces have the lines of `code`. Only the mappings are stored; other members are accepted, without effect. */
  sourceMap?: {
    version: 3;
    /** One of them is `code`: the only one, or the only one called `code.ts`, `code.js`, `function.ts` or `function.js` outside of `node_modules`. */
    sources: (string | null)[];
    /** Mappings as Base64 VLQ. */
    mappings: string;
  };
  /** The packages that the module contains parts of. */
  packages: (BundledPackage)[];
};

export type BundledPackage = {
  /** Name in the registry. */
  name: string;
  /** Exact version. */
  version: string;
  /** Hash of the package as in a lockfile, such as `sha512-…`, or, without a lockfile, of its files in the bundle: `files:sha512-…`. */
  integrity: string;
  /** Bytes of the module that come from it. */
  bytes?: number;
};

export type Function = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Free text for people. Not unique. */
  name: string;
  /** Purpose of the function. */
  description: string;
  input: Schema;
  output: Schema;
  /** JavaScript or TypeScript with one function: `export default`, a named function, a function expression, or `main`. */
  code: string;
  /** Packages in the bundle that runs in place of `code`. Absent without a bundle. */
  packages?: (BundledPackage)[];
  /** UTC, with milliseconds. */
  createdAt: string;
  /** UTC, with milliseconds. */
  updatedAt: string;
};

export type FunctionSummary = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Free text for people. Not unique. */
  name: string;
  /** Purpose of the function. */
  description: string;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** UTC, with milliseconds. */
  updatedAt: string;
};

export type FunctionPage = {
  data: (FunctionSummary)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type FunctionVersion = {
  /** Opaque; assigned by the service. */
  functionId: string;
  /** Incremented with every change of the function. */
  version: number;
  /** Free text for people. Not unique. */
  name: string;
  /** Purpose of the function. */
  description: string;
  input: Schema;
  output: Schema;
  /** JavaScript or TypeScript with one function: `export default`, a named function, a function expression, or `main`. */
  code: string;
  /** Packages in the bundle that runs in place of `code`. Absent without a bundle. */
  packages?: (BundledPackage)[];
  /** SHA-256 of the content in hex. Equal for equal versions. */
  contentHash: string;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that wrote the version. */
  createdBy: string;
};

export type FunctionVersionSummary = {
  /** Opaque; assigned by the service. */
  functionId: string;
  /** Incremented with every change of the function. */
  version: number;
  /** Free text for people. Not unique. */
  name: string;
  /** Purpose of the function. */
  description: string;
  /** Packages in the bundle that runs in place of `code`. Absent without a bundle. */
  packages?: (BundledPackage)[];
  /** SHA-256 of the content in hex. Equal for equal versions. */
  contentHash: string;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that wrote the version. */
  createdBy: string;
};

export type FunctionVersionPage = {
  data: (FunctionVersionSummary)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type Deletion = {
  success: boolean;
  message: string;
};

export type ExecuteRequest = {
  /** Input of the function. Properties with a default may be omitted. */
  input: Record<string, unknown>;
  trial?: Trial;
};

export type Trial = {
  /** `<provider>/<model_name>`, or `auto`. Default: the model of the settings. Needs the scope `gateway:invoke`. */
  model?: string;
  /** Version of the settings of the function. Default: the one that calls use, without experiments. */
  settingsVersion?: number;
  /** The most that is stored of the content of its calls. Default, and at most: that of other calls. */
  content?: "off" | "metadata" | "full";
};

export type Execution = {
  /** Opaque; assigned by the service. */
  id: string;
  /** ID of the function, or `program` for a program. */
  functionId: string;
  /** Version of the function that ran. */
  functionVersion: number;
  status: "queued" | "running" | "completed" | "failed" | "timed_out" | "cancelled" | "interrupted";
  /** Run time of the code in milliseconds. */
  durationMs?: number;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Settings `retry`, `timeoutMs`, `memoryMb`, `concurrency` and `rateLimit` of the function when the execution was accepted. Absent without them. */
  policy?: Record<string, unknown>;
  /** Schedule that it belongs to. Absent for all others. */
  scheduleId?: string;
  /** Time that the schedule names. Absent if a caller asked for the run. */
  scheduledFor?: string;
  /** UTC, with milliseconds. Absent while the execution runs. */
  completedAt?: string;
  /** Present if the execution was asynchronous and did not complete in its last run; `settled` once it was run again or removed from the list of dead letters. */
  deadLetter?: "open" | "settled";
  /** Input as the caller sent it. For a program, its `code`. */
  input: Record<string, unknown>;
  /** Input that the code received, with defaults filled in. Absent if it equals `input`. */
  effectiveInput?: Record<string, unknown>;
  /** Output of the function; for a program, its `value`. Present once completed. */
  output?: Record<string, unknown>;
  /** Reason why the run did not complete. */
  error?: {
    code?: string;
    message?: string;
    stack?: string;
  };
  /** Log lines of the code. */
  logs: ({
    level?: string;
    message?: string;
    /** UTC, with milliseconds. */
    time?: string;
    /** Further arguments of the log call. */
    fields?: Record<string, unknown>;
  })[];
  /** Execution whose code started this one. Absent if a caller did. */
  parentId?: string;
  /** Functions that the program called, in the order in which the calls ended. */
  calls?: ({
    /** Name as written in the program. */
    function: string;
    /** Execution of the call. Absent if there is none, as for an unknown name. */
    executionId?: string;
    /** Error code of a failed call. Absent if it completed. */
    error?: string;
    durationMs: number;
  })[];
  trial?: Trial;
  /** Number of starts. Absent if it was started once or not yet. */
  attempt?: number;
  /** Present if later lines were dropped. */
  logsTruncated?: true;
  /** Measurements such as `cpuMs`, and the tokens of models that the function itself called. */
  usage?: Record<string, unknown>;
};

export type ExecutionLogs = {
  status: "queued" | "running" | "completed" | "failed" | "timed_out" | "cancelled" | "interrupted";
  /** Log lines of the code. */
  data: ({
    level?: string;
    message?: string;
    /** UTC, with milliseconds. */
    time?: string;
    /** Further arguments of the log call. */
    fields?: Record<string, unknown>;
  })[];
  /** Present if later lines were dropped. */
  logsTruncated?: true;
};

export type ProgramRequest = {
  /** TypeScript: the body of an async function. Its `return` is the `value` of the output. */
  code: string;
};

export type TestRequest = {
  /** Function to test, as in a request to create it. */
  function: {
    input: Schema;
    output: Schema;
    /** Same as in a new function. */
    code: string;
    bundle?: FunctionBundle;
  };
  /** Input of the function. */
  input: Record<string, unknown>;
  /** Stream the response as server-sent events: `start`; `log` for each line that the code logs; `delta` with each `output` that a generator yields; then `done` with the result, or `error`. */
  stream?: boolean;
};

export type TestResult = {
  status: "queued" | "running" | "completed" | "failed" | "timed_out" | "cancelled" | "interrupted";
  /** Run time of the code in milliseconds. */
  durationMs?: number;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** UTC, with milliseconds. Absent while the execution runs. */
  completedAt: string;
  /** Input as the caller sent it. For a program, its `code`. */
  input: Record<string, unknown>;
  /** Input that the code received, with defaults filled in. Absent if it equals `input`. */
  effectiveInput?: Record<string, unknown>;
  /** Output of the function; for a program, its `value`. Present once completed. */
  output?: Record<string, unknown>;
  /** Reason why the run did not complete. */
  error?: {
    code?: string;
    message?: string;
    stack?: string;
  };
  /** Log lines of the code. */
  logs: ({
    level?: string;
    message?: string;
    /** UTC, with milliseconds. */
    time?: string;
    /** Further arguments of the log call. */
    fields?: Record<string, unknown>;
  })[];
  /** Execution whose code started this one. Absent if a caller did. */
  parentId?: string;
  /** Number of starts. Absent if it was started once or not yet. */
  attempt?: number;
  /** Present if later lines were dropped. */
  logsTruncated?: true;
  /** Measurements such as `cpuMs`, and the tokens of models that the function itself called. */
  usage?: Record<string, unknown>;
};

export type ExecutionSummary = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Opaque; assigned by the service. */
  functionId: string;
  /** Version of the function that ran. */
  functionVersion: number;
  status: "queued" | "running" | "completed" | "failed" | "timed_out" | "cancelled" | "interrupted";
  /** Run time of the code in milliseconds. */
  durationMs?: number;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** UTC, with milliseconds. Absent while the execution runs. */
  completedAt?: string;
  /** Schedule that it belongs to. Absent for all others. */
  scheduleId?: string;
  /** Time that the schedule names. Absent if a caller asked for the run. */
  scheduledFor?: string;
};

export type DeadLetterPage = {
  data: (DeadLetter)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type DeadLetter = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Opaque; assigned by the service. */
  functionId: string;
  /** Version of the function that ran. */
  functionVersion: number;
  status: "queued" | "running" | "completed" | "failed" | "timed_out" | "cancelled" | "interrupted";
  /** Reason why the run did not complete. */
  error: {
    code?: string;
    message?: string;
    stack?: string;
  };
  /** Number of runs. 0 if it could not be run. */
  attempts: number;
  /** Run time of the code in milliseconds. */
  durationMs?: number;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** UTC, with milliseconds. */
  completedAt: string;
  /** Schedule that it belongs to. Absent for all others. */
  scheduleId?: string;
  /** Time that the schedule names. Absent if a caller asked for the run. */
  scheduledFor?: string;
};

export type RerunPage = {
  data: ({
    /** ID of the dead letter. */
    id: string;
    /** ID of the new execution. Absent if there is none. */
    executionId?: string;
    /** Reason why there is none: the input does not match the input schema of the current version. */
    error?: {
      code: string;
      message: string;
    };
  })[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type ExecutionPage = {
  data: (ExecutionSummary)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type ContentPart = {
  type: "text" | "image" | "audio" | "file" | "reasoning" | "refusal" | "tool-call";
  text?: string;
  url?: string;
  /** Base64. */
  data?: string;
  mediaType?: string;
  /** Of a file, or of the tool that is called. */
  name?: string;
  /** Of the call. */
  id?: string;
  /** Of the call. */
  arguments?: Record<string, unknown>;
  /** Of reasoning: to be sent back unchanged. */
  signature?: string;
  /** Of reasoning: to be sent back unchanged. */
  encrypted?: string;
  /** Of reasoning: the model. No other provider receives it. */
  by?: string;
  /** The prompt may be cached up to here, where the vendor has to be asked. */
  cache?: {
    ttl?: "5m" | "1h";
  };
  /** Members of one wire format, by its name. Only providers of that format receive them. */
  extra?: {
    [name: string]: Record<string, unknown>;
  };
};

export type Message = {
  role: "system" | "user" | "assistant" | "tool";
  /** A text, or a list of parts. */
  content: string | (ContentPart)[];
  /** What the assistant called in this turn. */
  toolCalls?: ({
    id: string;
    name: string;
    arguments: Record<string, unknown>;
  })[];
  /** The call that a message of role `tool` answers. */
  toolCallId?: string;
  /** The tool failed, and the content says how. */
  isError?: boolean;
  /** In place of `content`: the parts of a response, sent back as they came. */
  parts?: (ContentPart)[];
};

export type Routing = {
  capabilities?: ("chat" | "code" | "reasoning" | "vision" | "embeddings" | "tools" | "structured-output" | "audio" | "files")[];
  optimize?: "quality" | "cost" | "performance" | "balanced";
  /** USD that 1,000,000 tokens of the model may cost: neither its input nor its output price is above it. */
  maxPrice?: number;
  providers?: {
    allow?: (string)[];
    deny?: (string)[];
  };
  /** Tried in this order when the model fails. */
  fallbacks?: (string)[];
  /** Whether another model continues a stream of text whose model fails, or the stream ends. */
  onInterrupt?: "error" | "resume";
  /** Whether a router that learns may try a model although another is expected to be better. */
  explore?: boolean;
};

export type GenerateRequest = {
  prompt: string;
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  /** Tokens that the answer may have. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  routing?: Routing;
  /** Answer with server-sent events: `start`, `delta`, and `done` with the whole result, or `error`. */
  stream?: boolean;
};

export type ChatRequest = {
  messages: (Message)[];
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  /** Tokens that the answer may have. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** Functions that the model may call; with `toolLoop` also names of tools of mounted servers, `docs.search` or `docs.*`. */
  tools?: ({
    name: string;
    description?: string;
    parameters: Schema;
    /** The prompt may be cached up to here, where the vendor has to be asked. */
    cache?: {
      ttl?: "5m" | "1h";
    };
  } | string)[];
  /** The server calls the tools that are named, and sends their results to the model, until the model calls none of them any more. */
  toolLoop?: {
    /** Requests to models. */
    maxSteps?: number;
  };
  /** `auto`, `none`, `required`, or the name of the one function to call as `{"name": …}`. Default `auto`. */
  toolChoice?: "auto" | "none" | "required" | {
    name: string;
  };
  /** Whether one message may call several functions. */
  parallelToolCalls?: boolean;
  /** Texts that end the completion, and are not part of it. */
  stop?: (string)[];
  /** For repeatable sampling, as far as the vendor has it. */
  seed?: number;
  /** How much the model reasons first. */
  reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
  responseSchema?: Schema;
  routing?: Routing;
  /** Answer with server-sent events: `start`, `delta`, and `done` with the whole result, or `error`. */
  stream?: boolean;
};

export type EmbeddingRequest = {
  text: string;
  /** For models that can shorten the vector. */
  dimensions?: number;
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  routing?: Routing;
};

export type FunctionCallRequest = {
  messages: (Message)[];
  functions: ({
    name: string;
    description?: string;
    parameters: Schema;
    /** The prompt may be cached up to here, where the vendor has to be asked. */
    cache?: {
      ttl?: "5m" | "1h";
    };
  } | string)[];
  /** The server calls the tools that are named, and sends their results to the model, until the model calls none of them any more. */
  toolLoop?: {
    /** Requests to models. */
    maxSteps?: number;
  };
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  temperature?: number;
  routing?: Routing;
  /** Answer with server-sent events: `start`, `delta`, and `done` with the whole result, or `error`. */
  stream?: boolean;
};

export type ExplainRequest = {
  messages?: (Message)[];
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  /** Tokens that the answer may have. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** Functions that the model may call; with `toolLoop` also names of tools of mounted servers, `docs.search` or `docs.*`. */
  tools?: ({
    name: string;
    description?: string;
    parameters: Schema;
    /** The prompt may be cached up to here, where the vendor has to be asked. */
    cache?: {
      ttl?: "5m" | "1h";
    };
  } | string)[];
  /** The server calls the tools that are named, and sends their results to the model, until the model calls none of them any more. */
  toolLoop?: {
    /** Requests to models. */
    maxSteps?: number;
  };
  /** `auto`, `none`, `required`, or the name of the one function to call as `{"name": …}`. Default `auto`. */
  toolChoice?: "auto" | "none" | "required" | {
    name: string;
  };
  /** Whether one message may call several functions. */
  parallelToolCalls?: boolean;
  /** Texts that end the completion, and are not part of it. */
  stop?: (string)[];
  /** For repeatable sampling, as far as the vendor has it. */
  seed?: number;
  /** How much the model reasons first. */
  reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
  responseSchema?: Schema;
  routing?: Routing;
  /** The function that the model is to do: how well each kept to its output before then counts. */
  functionName?: string;
  /** Version of the settings of the function. 0 if they are not stored. */
  settingsVersion?: number;
};

export type Generation = {
  /** Opaque; assigned by the service. */
  id: string;
  text: string;
  /** The model that answered, as `<provider>/<model_name>`. */
  model: string;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** UTC, with milliseconds. */
  createdAt: string;
  finishReason: "stop" | "length" | "tool-calls" | "content-filter";
  /** Adaptations of the request, one sentence each. Absent if there are none. */
  warnings?: (string)[];
};

export type Chat = {
  /** Opaque; assigned by the service. */
  id: string;
  message: {
    role: "assistant";
    /** Concatenated text of the message. */
    content: string;
    /** Text, reasoning, refusals and tool calls in order. Absent if the message is plain text. Send them back unchanged in later requests. */
    parts?: (ContentPart)[];
  };
  /** The model that answered, as `<provider>/<model_name>`. */
  model: string;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** UTC, with milliseconds. */
  createdAt: string;
  finishReason: "stop" | "length" | "tool-calls" | "content-filter";
  /** With `toolLoop`: the turns that it added, in their order, to be sent back as they are. The last one of the assistant is `message`. */
  messages?: (Message)[];
  /** Adaptations of the request, one sentence each. Absent if there are none. */
  warnings?: (string)[];
};

export type Embedding = {
  /** Opaque; assigned by the service. */
  id: string;
  embedding: (number)[];
  /** The model that answered, as `<provider>/<model_name>`. */
  model: string;
  tokens: number;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Adaptations of the request, one sentence each. Absent if there are none. */
  warnings?: (string)[];
};

export type FunctionCall = {
  /** Opaque; assigned by the service. */
  id: string;
  functionCall: {
    name: string;
    /** Arguments that match the declared parameters. */
    arguments: Record<string, unknown>;
  };
  /** The model that answered, as `<provider>/<model_name>`. */
  model: string;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Adaptations of the request, one sentence each. Absent if there are none. */
  warnings?: (string)[];
};

export type ModelSummary = {
  /** `<provider>/<model_name>` */
  id: string;
  provider: string;
  /** Model name without the provider. */
  name: string;
  capabilities: ("chat" | "code" | "reasoning" | "vision" | "embeddings" | "tools" | "structured-output" | "audio" | "files")[];
  /** Maximum number of completion tokens. Only for text models. */
  maxTokens?: number;
  /** Maximum number of prompt and completion tokens together. */
  contextWindow?: number;
  /** Dimensions of an embedding. Only for embedding models. */
  dimensions?: number;
};

export type ModelList = {
  data: (ModelSummary)[];
};

export type Model = {
  /** `<provider>/<model_name>` */
  id: string;
  provider: string;
  /** Model name without the provider. */
  name: string;
  capabilities: ("chat" | "code" | "reasoning" | "vision" | "embeddings" | "tools" | "structured-output" | "audio" | "files")[];
  /** Maximum number of completion tokens. Only for text models. */
  maxTokens?: number;
  /** Maximum number of prompt and completion tokens together. */
  contextWindow?: number;
  /** Dimensions of an embedding. Only for embedding models. */
  dimensions?: number;
  /** List price. Absent if unknown, which does not mean free. */
  pricing?: {
    input: number;
    output: number;
    /** Input tokens read from the prompt cache. */
    cacheRead?: number;
    /** Input tokens written to the prompt cache. */
    cacheWrite?: number;
    currency: "USD";
    unit: "1M tokens";
  };
  /** In general, for the router. Absent where it is not known. */
  quality?: number;
  /** Release date of the model, or else the time at which it was added here. */
  createdAt: string;
};

export type Explanation = {
  /** Eligible models, best first; then models that are not eligible. */
  data: ({
    id: string;
    /** Reason why the model is not eligible. */
    refused?: string;
    score?: number;
    /** Reason for its rank. */
    reason?: string;
    /** Share of the calls for which it is put first, where the router tries models for the sake of learning. */
    propensity?: number;
    /** Quality at the function, as scores show it. */
    learned?: {
      mean: number;
      /** Bound of the 95 % interval. */
      low: number;
      /** Bound of the 95 % interval. */
      high: number;
      /** Scores that count. Old ones decay. */
      scores: number;
      /** `champion`: called unless another one is tried. `trial`: tried because it has few scores. `challenger`: tried in case it is better by now. `other`: called only if those before it fail. */
      role: "champion" | "trial" | "challenger" | "other";
    };
    /** State of its circuit breaker. */
    state: "closed" | "open" | "half-open";
    /** List price. Absent if unknown, which does not mean free. */
    pricing?: {
      input: number;
      output: number;
      /** Input tokens read from the prompt cache. */
      cacheRead?: number;
      /** Input tokens written to the prompt cache. */
      cacheWrite?: number;
      currency: "USD";
      unit: "1M tokens";
    };
  })[];
};

export type ChatCompletionRequest = {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  messages: ({
    role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
    /** A string, or parts of the types `text`, `image_url`, `input_audio`, `file` and `refusal`. */
    content?: string | (Record<string, unknown>)[] | null;
    /** Tool calls of an assistant message. */
    tool_calls?: (Record<string, unknown>)[];
    /** ID of the tool call that a tool message answers. */
    tool_call_id?: string;
    [name: string]: unknown;
  })[];
  /** Functions that the model may call: `{type: "function", function: {name, description, parameters, strict}}`. */
  tools?: (Record<string, unknown>)[];
  /** `none`, `auto`, `required`, or one function. */
  tool_choice?: string | Record<string, unknown>;
  /** Whether the model may call several tools at once. */
  parallel_tool_calls?: boolean;
  /** `text`, `json_object`, or `json_schema` with a schema. */
  response_format?: Record<string, unknown>;
  max_completion_tokens?: number;
  /** Older name of `max_completion_tokens`. */
  max_tokens?: number;
  temperature?: number;
  top_p?: number;
  stop?: string | (string)[];
  seed?: number;
  /** Reasoning effort of the model. */
  reasoning_effort?: string;
  /** Stream the response as server-sent events. */
  stream?: boolean;
  stream_options?: {
    /** Send the token usage at the end of the stream. */
    include_usage?: boolean;
    [name: string]: unknown;
  };
  routing?: Routing;
  [name: string]: unknown;
};

export type ChatCompletion = {
  id: string;
  object: "chat.completion";
  /** Seconds since 1970. */
  created: number;
  /** The model that answered, as `<provider>/<model_name>`. */
  model: string;
  choices: ({
    index: number;
    message: {
      role: "assistant";
      content: string | null;
      refusal?: string | null;
      tool_calls?: ({
        id?: string;
        type?: string;
        function?: {
          name?: string;
          /** JSON. */
          arguments?: string;
        };
      })[];
      /** Reasoning of the model, if its vendor returns it. */
      reasoning_content?: string;
      /** Signed or encrypted reasoning. Send it back unchanged. */
      reasoning_details?: (Record<string, unknown>)[];
    };
    finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "function_call";
    logprobs?: Record<string, unknown> | null;
  })[];
  usage: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details?: {
      cached_tokens?: number;
    };
    completion_tokens_details?: {
      reasoning_tokens?: number;
    };
  };
};

export type CreateEmbeddingsRequest = {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  /** A string, or up to 2,048 strings. */
  input: string | (string)[];
  /** Number of dimensions, for models that can shorten embeddings. */
  dimensions?: number;
  /** `base64` encodes little-endian 32-bit floats. */
  encoding_format?: "float" | "base64";
  routing?: Routing;
  [name: string]: unknown;
};

export type EmbeddingList = {
  object: "list";
  data: ({
    object: "embedding";
    index: number;
    embedding: (number)[] | string;
  })[];
  /** The model that answered, as `<provider>/<model_name>`. */
  model: string;
  usage: {
    prompt_tokens: number;
    total_tokens: number;
  };
};

export type CompatibleModel = {
  /** Model ID for requests. */
  id: string;
  object: "model";
  type: "model";
  /** Seconds since 1970. */
  created: number;
  created_at: string;
  /** Provider of the model. */
  owned_by: string;
  display_name: string;
  max_input_tokens?: number | null;
  max_tokens?: number | null;
  [name: string]: unknown;
};

export type CompatibleModelList = {
  object: "list";
  data: (CompatibleModel)[];
  has_more: false;
  first_id: string | null;
  last_id: string | null;
};

export type OpenAiError = {
  error: {
    message: string;
    /** Error type, such as `invalid_request_error`. */
    type: string;
    /** Parameter at fault, such as `messages[0].content`. */
    param: string | null;
    /** Error code, such as `model_not_found`. */
    code: string | null;
  };
};

export type ResponsesRequest = {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  /** A string from the user, or items of the types `message`, `function_call`, `function_call_output`, `reasoning` and `item_reference`. References name items that this server returned to the same tenant within the last hour. Models of OpenAI take items of every type. */
  input?: string | (Record<string, unknown>)[];
  instructions?: string | null;
  /** Functions that the model may call: `{type: "function", name, description, parameters, strict}`. */
  tools?: (Record<string, unknown>)[];
  /** `auto`, `none`, `required`, `{type: "function", name}`, or `{type: "allowed_tools", mode, tools}`. */
  tool_choice?: string | Record<string, unknown>;
  /** `format`: `{type: "text"}`, `{type: "json_object"}` or `{type: "json_schema", name, schema}`. */
  text?: Record<string, unknown> | null;
  /** `effort`, and `summary` for models of OpenAI. */
  reasoning?: Record<string, unknown> | null;
  /** `reasoning.encrypted_content` includes encrypted reasoning, which later requests send back. */
  include?: (string)[] | null;
  max_output_tokens?: number | null;
  temperature?: number | null;
  top_p?: number | null;
  stream?: boolean | null;
  /** Models of OpenAI only: the id of a response that this server returned to the same tenant within two hours. */
  previous_response_id?: string | null;
  routing?: Routing;
  [name: string]: unknown;
};

export type CompactionRequest = {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  /** The conversation: a string from the user, or items. */
  input?: string | (Record<string, unknown>)[] | null;
  instructions?: string | null;
  /** Models of OpenAI only: the id of a response that this server returned to the same tenant within two hours. */
  previous_response_id?: string | null;
  routing?: Routing;
  [name: string]: unknown;
};

export type CompactionObject = {
  id: string;
  object: "response.compaction";
  /** Seconds since 1970. */
  created_at: number;
  /** The items to send instead of the conversation. */
  output: (Record<string, unknown>)[];
  usage: Record<string, unknown>;
  [name: string]: unknown;
};

export type ResponseObject = {
  id: string;
  object: "response";
  /** Seconds since 1970. */
  created_at: number;
  status: "completed" | "incomplete" | "failed" | "in_progress";
  model: string;
  /** Items of the types `message`, `function_call` and `reasoning`. */
  output: (Record<string, unknown>)[];
  usage: Record<string, unknown> | null;
  error: Record<string, unknown> | null;
  incomplete_details: Record<string, unknown> | null;
  [name: string]: unknown;
};

export type MessageRequest = {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  max_tokens: number;
  messages: ({
    role: "user" | "assistant";
    /** A string, or blocks such as `text`, `image`, `document`, `tool_use`, `tool_result` and `thinking`. */
    content: string | (Record<string, unknown>)[];
    [name: string]: unknown;
  })[];
  /** A string, or text blocks. */
  system?: string | (Record<string, unknown>)[];
  /** Tools that the model may call: `{name, description, input_schema}`. */
  tools?: (Record<string, unknown>)[];
  /** `auto`, `any`, `none`, or one tool. */
  tool_choice?: Record<string, unknown>;
  /** Reasoning effort of the model. */
  thinking?: Record<string, unknown>;
  /** `effort`, and `format` with a JSON Schema. */
  output_config?: Record<string, unknown>;
  stop_sequences?: (string)[];
  temperature?: number;
  top_p?: number;
  /** Stream the response as server-sent events. */
  stream?: boolean;
  routing?: Routing;
  [name: string]: unknown;
};

export type AnthropicMessage = {
  id: string;
  type: "message";
  role: "assistant";
  /** The model that answered, as `<provider>/<model_name>`. */
  model: string;
  content: ({
    type: "text" | "tool_use" | "thinking" | "redacted_thinking";
    [name: string]: unknown;
  })[];
  stop_reason: "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "refusal";
  stop_sequence: string | null;
  usage: {
    /** Input tokens without those of the prompt cache. */
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens?: number;
    cache_read_input_tokens?: number;
    [name: string]: unknown;
  };
  [name: string]: unknown;
};

export type CountTokensRequest = {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  messages: ({
    role: "user" | "assistant";
    /** A string, or blocks such as `text`, `image`, `document`, `tool_use`, `tool_result` and `thinking`. */
    content: string | (Record<string, unknown>)[];
    [name: string]: unknown;
  })[];
  /** A string, or text blocks. */
  system?: string | (Record<string, unknown>)[];
  /** Tools that the model may call: `{name, description, input_schema}`. */
  tools?: (Record<string, unknown>)[];
  /** `auto`, `any`, `none`, or one tool. */
  tool_choice?: Record<string, unknown>;
  /** Reasoning effort of the model. */
  thinking?: Record<string, unknown>;
  /** `effort`, and `format` with a JSON Schema. */
  output_config?: Record<string, unknown>;
  routing?: Routing;
  [name: string]: unknown;
};

export type TokenCount = {
  input_tokens: number;
};

export type AnthropicError = {
  type: "error";
  error: {
    /** Error type, such as `invalid_request_error`. */
    type: string;
    message: string;
  };
  /** ID of the request, as in the header `Request-Id`. */
  request_id: string;
};

export type McpMessage = {
  jsonrpc: "2.0";
  /** ID of a request and its response. Absent in notifications. */
  id?: string | number | null;
  /** Method, such as `tools/list` or `tools/call`. */
  method?: string;
  /** The parameters of the method. */
  params?: Record<string, unknown>;
  /** Result of a response. */
  result?: Record<string, unknown>;
  /** Error of a response: `code` and `message` of JSON-RPC; `data.code` is the error code of Patchbay. */
  error?: Record<string, unknown>;
  [name: string]: unknown;
};

export type ProtectedResource = {
  /** The URL of the endpoint, and the audience of its tokens. */
  resource: string;
  /** The issuers of its tokens. */
  authorization_servers: (string)[];
  /** Methods of sending access tokens. */
  bearer_methods_supported?: (string)[];
  /** The scopes that agents need. */
  scopes_supported?: (string)[];
};

export type KeyInput = {
  /** Name of the key. Not unique. */
  name: string;
  /** Scopes of the key: a subset of those of its creator. `*` is every scope except `keys:permanent`, `metrics:read` and `tenants:read`. */
  scopes: ("functions:read" | "functions:write" | "functions:execute" | "code:run" | "gateway:invoke" | "tools:call" | "models:read" | "settings:read" | "settings:write" | "webhooks:read" | "webhooks:write" | "keys:write" | "keys:permanent" | "calls:read" | "calls:content" | "feedback:read" | "feedback:write" | "usage:read" | "audit:read" | "metrics:read" | "tenants:read" | "*")[];
  /** Time after which the key is refused, no later than the credentials of the caller expire unless they have the scope `keys:permanent`. Null: the latest that is allowed. */
  expiresAt?: string | null;
  /** Addresses and networks (CIDR) that the key may be used from. Null: from everywhere. */
  ipAddresses?: (string)[] | null;
  /** Ids of the functions that the key reaches, on every endpoint; no others exist for it. Null: all. */
  functions?: (string)[] | null;
  /** Rate limit of the key: `burst` requests at once, refilled at `requests` per `seconds`. */
  rateLimit?: {
    requests: number;
    seconds: number;
    burst: number;
  } | null;
  /** Budget of the key for model calls. */
  budget?: {
    usd: number;
    /** A calendar day or month in UTC. */
    period: "day" | "month";
    /** Refuse a call unless all that it may cost is left. Otherwise, the last call may cost more than what is left. */
    strict?: boolean;
  } | null;
};

export type KeyRotation = {
  /** Seconds for which the previous secret remains valid. */
  graceSeconds?: number;
};

export type Key = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Name of the key. Not unique. */
  name: string;
  scopes: (string)[];
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that created the key. */
  createdBy: string;
  /** Time after which the key is refused. */
  expiresAt: string | null;
  /** Time since which the key is refused. */
  revokedAt: string | null;
  /** Addresses and networks (CIDR) that the key may be used from. Null: from everywhere. */
  ipAddresses: (string)[] | null;
  /** Ids of the functions that the key reaches, on every endpoint; no others exist for it. Null: all. */
  functions: (string)[] | null;
  /** Rate limit of the key: `burst` requests at once, refilled at `requests` per `seconds`. */
  rateLimit: {
    requests: number;
    seconds: number;
    burst: number;
  } | null;
  /** Budget of the key for model calls. */
  budget: {
    usd: number;
    /** A calendar day or month in UTC. */
    period: "day" | "month";
    /** Refuse a call unless all that it may cost is left. Otherwise, the last call may cost more than what is left. */
    strict?: boolean;
  } | null;
  /** Time of the latest use, accurate to a minute. */
  lastUsedAt: string | null;
  /** Time of the last rotation. Absent if the key was never rotated. */
  rotatedAt: string | null;
  /** Time until which the previous secret is also accepted. */
  previousUntil: string | null;
};

export type NewKey = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Name of the key. Not unique. */
  name: string;
  scopes: (string)[];
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that created the key. */
  createdBy: string;
  /** Time after which the key is refused. */
  expiresAt: string | null;
  /** Time since which the key is refused. */
  revokedAt: string | null;
  /** Addresses and networks (CIDR) that the key may be used from. Null: from everywhere. */
  ipAddresses: (string)[] | null;
  /** Ids of the functions that the key reaches, on every endpoint; no others exist for it. Null: all. */
  functions: (string)[] | null;
  /** Rate limit of the key: `burst` requests at once, refilled at `requests` per `seconds`. */
  rateLimit: {
    requests: number;
    seconds: number;
    burst: number;
  } | null;
  /** Budget of the key for model calls. */
  budget: {
    usd: number;
    /** A calendar day or month in UTC. */
    period: "day" | "month";
    /** Refuse a call unless all that it may cost is left. Otherwise, the last call may cost more than what is left. */
    strict?: boolean;
  } | null;
  /** Time of the latest use, accurate to a minute. */
  lastUsedAt: string | null;
  /** Time of the last rotation. Absent if the key was never rotated. */
  rotatedAt: string | null;
  /** Time until which the previous secret is also accepted. */
  previousUntil: string | null;
  /** The key itself. Shown only once. */
  key: string;
};

export type KeyPage = {
  data: (Key)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type ExpiringKeys = {
  /** Up to 100 keys, the first to expire first. */
  data: ({
    /** Id of the key. */
    id: string;
    name: string;
    expiresAt: string;
  })[];
  meta: {
    /** Number of such keys, also of those that are not listed. */
    total: number;
  };
};

export type Session = {
  /** Id of the key, or issuer and subject of the token. */
  id: string;
  kind: "api-key" | "user" | "service";
  /** Name of the key, or the id of another caller. */
  name: string;
  tenant: string;
  /** Every scope that the caller has, also by `*`. */
  scopes: (string)[];
  /** Ids of the functions that the caller reaches. Null: all. */
  functions: (string)[] | null;
  /** End of the session, or of its credential if that is earlier. Null: none is known. */
  endsAt: string | null;
} | null;

export type Tenant = {
  /** Name of the tenant. */
  id: string;
  /** Number of API keys, with those that are revoked or expired. */
  keys: number;
  /** Number of functions. */
  functions: number;
  /** Beginning of the last hour with an execution or a call of a model. Null: there was none. */
  lastUsedAt: string | null;
};

export type TenantPage = {
  data: (Tenant)[];
  meta: {
    limit: number;
    /** The `cursor` of the next page. Absent: this is the last one. */
    nextCursor?: string;
  };
};

export type FeedbackInput = {
  /** Id of a call, chat, generation, function call or execution, of the last 30 days. */
  target: string;
  /** Name of the metric: `score`, or one that the settings of the function declare. */
  metric?: string;
  /** A boolean or a number from 0 to 1. A text only for metrics without `optimize`. */
  value: boolean | number | string;
  /** Reason, in words. */
  comment?: string;
  /** Correct answer. */
  demonstration?: Record<string, unknown> | (unknown)[] | string | number | boolean;
};

export type Feedback = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Id of a call, chat, generation, function call or execution, of the last 30 days. */
  target: string;
  /** Name of the metric. */
  metric: string;
  /** Value as it was sent. */
  value: boolean | number | string;
  /** Reason, in words. */
  comment: string | null;
  /** Correct answer. */
  demonstration: Record<string, unknown> | (unknown)[] | string | number | boolean | null;
  /** The function that was called. Null if it is not stored. */
  functionId: string | null;
  /** The name that was called. Null where the answer is not that of a call by name. */
  name: string | null;
  /** Version of the settings of the function. Null if they are not stored. */
  settingsVersion: number | null;
  /** The model that answered. Null if code did. */
  model: string | null;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that sent the feedback. */
  createdBy: string;
};

export type FeedbackPage = {
  data: (Feedback)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type EvidenceInput = {
  /** When the answers were given: scores fade. Default: now. */
  at?: string;
  /** Take back what the same body has added. */
  undo?: boolean;
  models: ({
    /** Such as `openai/gpt-4`. */
    model: string;
    /** Version of the settings of the function; 0 if it has none. */
    settingsVersion: number;
    /** Of each answer, from 0 to 1. */
    scores: (number)[];
  })[];
};

export type Evidence = {
  models: ({
    model: string;
    settingsVersion: number;
    /** Scores of real calls that it counts as much as. Less than 0 where it was taken back. */
    counted: number;
  })[];
};

export type AuditEntry = {
  id: string;
  /** Consecutive number, from 1 without gaps. */
  sequence: number;
  /** Action, such as `function.updated`. */
  action: string;
  /** Resource that was changed. */
  resource: {
    type: string;
    id: string;
  };
  /** Caller that made the change. */
  actor: {
    type: string;
    id: string;
  };
  /** Null: not by a request. */
  requestId: string | null;
  /** IP address of the client. */
  address: string | null;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Details of the change, without secrets. */
  details: Record<string, unknown>;
  /** Hash of the entry before; empty in the first one. */
  previousHash: string;
  /** Vouches for all the above. */
  hash: string;
};

export type AuditPage = {
  data: (AuditEntry)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type AuditVerification = {
  /** Number of valid entries, from the first one. */
  verified: number;
  /** The first invalid entry. Null: the log is intact. */
  broken: {
    sequence: number;
    /** Null: the entry is missing. */
    id: string | null;
    reason: string;
  } | null;
};

export type FunctionSettings = {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  routing?: Routing;
  /** The system prompt. */
  system?: string;
  /** Prompt template. `{{input}}` is the whole input as JSON, `{{input.text}}` a member of it; `{{name}}` and `{{description}}` are those of the function. Default: the input as JSON. */
  prompt?: string;
  /** Tokens that the answer may have. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** Inputs with correct outputs, shown to the model before the prompt. */
  examples?: ({
    input: Record<string, unknown>;
    output: Record<string, unknown>;
  })[];
  /** Maximum number of repairs of an invalid answer. Default 2. */
  repairs?: number;
  /** Seconds for which the answer to an equal call is cached. Default 0: never. */
  cacheSeconds?: number;
  /** Repetition of asynchronous executions and those of schedules. Default: none is repeated. */
  retry?: {
    /** Number of runs, with the first one. */
    attempts: number;
    /** Interval before the second run, such as `30s`. It is doubled before each further one, up to an hour. Default `1s`. */
    backoff?: string;
    /** Statuses after which a run is repeated. Default: all. */
    on?: ("failed" | "timed_out" | "interrupted")[];
  };
  /** Milliseconds that the code of the function may run. Default, and at most: those of the config. */
  timeoutMs?: number;
  /** Megabytes of memory that the code of the function may use. Default, and at most: those of the executor. */
  memoryMb?: number;
  /** Executions that run at the same time, on all servers together. More of them wait, or return 429 if the caller does. Applies to asynchronous executions, and to all of functions with code. Default: any number. */
  concurrency?: {
    /** Number of executions. */
    limit: number;
    /** Property of the input. Executions with other values of it do not count. */
    by?: string;
  };
  /** How often the function runs, on all servers together: `burst` times at once, and then `requests` times per `seconds`. Further executions wait in the queue, or return 429 if the caller waits. Default: any number. */
  rateLimit?: {
    requests: number;
    seconds: number;
    burst: number;
  };
  /** The most that is stored of the content of calls. Default, and at most: `callRecords.content` of the config. */
  content?: "off" | "metadata" | "full";
  /** Metrics of feedback, by name. `score` exists without being declared. */
  metrics?: {
    [name: string]: {
      /** Direction in which the metric is better. Absent: the metric is only recorded. */
      optimize?: "max" | "min";
      /** Share in the choice of a model, next to other metrics. */
      weight?: number;
    };
  };
  /** The function as a tool of agents. */
  mcp?: {
    /** List the function as a tool of the MCP endpoint. Default true. */
    expose?: boolean;
    /** Run calls as tasks, whose results agents with support for tasks read later. Default false. */
    task?: boolean;
  };
};

export type StoredSettings = {
  /** Opaque; assigned by the service. */
  functionId: string;
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  routing?: Routing;
  /** The system prompt. */
  system?: string;
  /** Prompt template. `{{input}}` is the whole input as JSON, `{{input.text}}` a member of it; `{{name}}` and `{{description}}` are those of the function. Default: the input as JSON. */
  prompt?: string;
  /** Tokens that the answer may have. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** Inputs with correct outputs, shown to the model before the prompt. */
  examples?: ({
    input: Record<string, unknown>;
    output: Record<string, unknown>;
  })[];
  /** Maximum number of repairs of an invalid answer. Default 2. */
  repairs?: number;
  /** Seconds for which the answer to an equal call is cached. Default 0: never. */
  cacheSeconds?: number;
  /** Repetition of asynchronous executions and those of schedules. Default: none is repeated. */
  retry?: {
    /** Number of runs, with the first one. */
    attempts: number;
    /** Interval before the second run, such as `30s`. It is doubled before each further one, up to an hour. Default `1s`. */
    backoff?: string;
    /** Statuses after which a run is repeated. Default: all. */
    on?: ("failed" | "timed_out" | "interrupted")[];
  };
  /** Milliseconds that the code of the function may run. Default, and at most: those of the config. */
  timeoutMs?: number;
  /** Megabytes of memory that the code of the function may use. Default, and at most: those of the executor. */
  memoryMb?: number;
  /** Executions that run at the same time, on all servers together. More of them wait, or return 429 if the caller does. Applies to asynchronous executions, and to all of functions with code. Default: any number. */
  concurrency?: {
    /** Number of executions. */
    limit: number;
    /** Property of the input. Executions with other values of it do not count. */
    by?: string;
  };
  /** How often the function runs, on all servers together: `burst` times at once, and then `requests` times per `seconds`. Further executions wait in the queue, or return 429 if the caller waits. Default: any number. */
  rateLimit?: {
    requests: number;
    seconds: number;
    burst: number;
  };
  /** The most that is stored of the content of calls. Default, and at most: `callRecords.content` of the config. */
  content?: "off" | "metadata" | "full";
  /** Metrics of feedback, by name. `score` exists without being declared. */
  metrics?: {
    [name: string]: {
      /** Direction in which the metric is better. Absent: the metric is only recorded. */
      optimize?: "max" | "min";
      /** Share in the choice of a model, next to other metrics. */
      weight?: number;
    };
  };
  /** The function as a tool of agents. */
  mcp?: {
    /** List the function as a tool of the MCP endpoint. Default true. */
    expose?: boolean;
    /** Run calls as tasks, whose results agents with support for tasks read later. Default false. */
    task?: boolean;
  };
  /** Incremented with every change of the settings. */
  version: number;
  /** Label of the version, if it was requested by label. */
  label?: string;
  /** UTC, with milliseconds. */
  updatedAt: string;
  /** Caller that wrote the version. */
  updatedBy: string;
};

export type SettingsVersion = {
  /** Opaque; assigned by the service. */
  functionId: string;
  /** Incremented with every change of the settings. */
  version: number;
  /** Labels of this version. */
  labels: (string)[];
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that wrote the version. */
  createdBy: string;
};

export type SettingsVersionPage = {
  data: (SettingsVersion)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type LabelMove = {
  /** Incremented with every change of the settings. */
  version: number;
};

export type ExplainedSettings = {
  data: ({
    name: string;
    /** Value that a call would use. */
    value: unknown;
    /** `default`, `config <pattern>` or `stored <label> (version <n>)`. */
    source: string;
  })[];
};

export type ExperimentInput = {
  /** Versions of the settings. */
  variants: (number)[];
  /** Metric to compare by: `score`, or one that the settings declare with `optimize`. */
  metric?: string;
  /** `adaptive`: calls go to the versions that may be the best, and the experiment ends by itself. `fixed`: each version has the same share, until the experiment is stopped. */
  allocation?: "fixed" | "adaptive";
  /** Probability of a winner that is worse than the best version by more than `epsilon`: at most. */
  delta?: number;
  /** Difference of mean scores that does not matter. The smaller, the more scores it takes. */
  epsilon?: number;
  /** Scores that each version has before the experiment can end. */
  minPerVariant?: number;
  /** Label whose calls are shared out. Default: the one that calls use, `production` unless the config says otherwise. */
  label?: string;
};

export type Experiment = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Opaque; assigned by the service. */
  functionId: string;
  /** Label whose calls are shared out. */
  label: string;
  /** `won`: the winner has the label. `stopped`: by request, or by another experiment. `superseded`: the label was moved, or got new settings. `rolled_back`: the label was given back. */
  status: "running" | "won" | "stopped" | "superseded" | "rolled_back";
  /** Metric to compare by. */
  metric: string;
  /** Direction in which the metric is better. */
  optimize: "max" | "min";
  /** `adaptive`: calls go to the versions that may be the best, and the experiment ends by itself. `fixed`: each version has the same share, until the experiment is stopped. */
  allocation: "fixed" | "adaptive";
  /** Probability of a winner that is worse than the best version by more than `epsilon`: at most. */
  delta: number;
  /** Difference of mean scores that does not matter. The smaller, the more scores it takes. */
  epsilon: number;
  /** Scores that each version has before the experiment can end. */
  minPerVariant: number;
  /** The versions that are compared. */
  variants: ({
    /** Version of the settings. */
    version: number;
    /** Number of scores. */
    scores: number;
    /** Mean of the metric. Null before the first score. */
    mean: number | null;
    /** Share of the calls, from 0 to 1. 0 once the experiment has ended. */
    share: number;
  })[];
  /** Version with the best mean. Null before the first score. */
  leader: number | null;
  /** Evidence for the leader, from 0 to 1. At 1 it suffices. */
  progress: number;
  /** Version that won. */
  winner: number | null;
  /** Version that the label stood for before the experiment. */
  before: number;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that started the experiment. */
  createdBy: string;
  /** End of the experiment. Null while it runs. */
  endedAt: string | null;
};

export type ExperimentPage = {
  data: (Experiment)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type DatasetImport = {
  examples: (ExampleInput)[];
};

export type ExampleInput = {
  /** Unique in the dataset. Default: derived from the content, so that equal examples are one. */
  id?: string;
  /** Fits the input schema of the function. */
  input: Record<string, unknown>;
  /** Right output. Fits the output schema of the function. */
  expected?: Record<string, unknown> | null;
  /** An output that was given, right or wrong. */
  output?: Record<string, unknown> | null;
  /** Scores of `output`, by metric: from 0 to 1 for `score`, and for metrics to optimize. Empty without `output`. */
  scores?: {
    [name: string]: boolean | number | string;
  };
  /** Has no effect. */
  source?: string;
  /** Has no effect. */
  createdAt?: string;
  /** Has no effect. */
  createdBy?: string;
};

export type DatasetImportResult = {
  /** New examples. */
  added: number;
  /** Examples whose id had other content. */
  changed: number;
  /** Examples that were there already. */
  unchanged: number;
};

export type Example = {
  /** Unique in the dataset. Of feedback: the answer that it is about. */
  id: string;
  /** Input as the caller sent it. */
  input: Record<string, unknown>;
  /** Right output. Null if it is not known. Of feedback: the demonstration. */
  expected: Record<string, unknown> | (unknown)[] | string | number | boolean | null;
  /** An output that was given, right or wrong. Null if there is none. */
  output: Record<string, unknown> | null;
  /** Scores of `output`, by metric. */
  scores: {
    [name: string]: boolean | number | string;
  };
  /** Origin of the example. */
  source: "import" | "feedback";
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that imported the example, or sent the feedback. */
  createdBy: string;
};

export type ExamplePage = {
  data: (Example)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type ScheduleInput = {
  /** Unique among the schedules of the function. It cannot be changed. */
  name?: string;
  /** Pattern of five fields: minute, hour, day of the month, month, day of the week. With six fields, the first one is the second. */
  cron?: string;
  /** Interval since the schedule was created: `90s`, `5m`, `1h` or `7d`. */
  every?: string;
  /** IANA name of the time zone of `cron`, such as `Europe/Berlin`. Default: `UTC`. */
  timezone?: string;
  /** Input of every run. Properties with a default may be omitted. */
  input?: Record<string, unknown>;
  /** If the previous run has not ended at a time of the schedule: `skip` records a `cancelled` execution, `queue` waits for the previous run, `allow` runs both. */
  overlap?: "skip" | "queue" | "allow";
  /** Times that are made up if no server was there for them within ten seconds: none of them, the last one, or all. */
  catchUp?: "none" | "last" | "all";
  /** Whether it runs. */
  enabled?: boolean;
};

export type Schedule = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Opaque; assigned by the service. */
  functionId: string;
  /** Unique among the schedules of the function. It cannot be changed. */
  name: string;
  /** Pattern of five fields: minute, hour, day of the month, month, day of the week. With six fields, the first one is the second. */
  cron?: string;
  /** Interval since the schedule was created: `90s`, `5m`, `1h` or `7d`. */
  every?: string;
  /** IANA name of the time zone of `cron`, such as `Europe/Berlin`. Default: `UTC`. */
  timezone?: string;
  /** Input of every run. Properties with a default may be omitted. */
  input: Record<string, unknown>;
  /** If the previous run has not ended at a time of the schedule: `skip` records a `cancelled` execution, `queue` waits for the previous run, `allow` runs both. */
  overlap: "skip" | "queue" | "allow";
  /** Times that are made up if no server was there for them within ten seconds: none of them, the last one, or all. */
  catchUp: "none" | "last" | "all";
  /** Whether it runs. */
  enabled: boolean;
  /** Why it does not run. `key_revoked`: the key that it runs as was revoked, or has expired. */
  pausedReason?: "requested" | "key_revoked";
  /** Next time. Absent while it is paused. */
  nextAt?: string;
  /** Last time that no run was made for, because no server was there. */
  lastMissedAt?: string;
  /** Last execution that was not skipped. */
  lastExecutionId?: string;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that created the schedule. */
  createdBy: string;
  /** UTC, with milliseconds. */
  updatedAt: string;
  /** Caller that wrote, paused or resumed it last. The schedule runs as this caller. */
  updatedBy: string;
};

export type SchedulePage = {
  data: (Schedule)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type NextRuns = {
  /** The next times, in order. */
  data: (string)[];
};

export type CallRequest = {
  /** Input of the function. */
  input?: Record<string, unknown>;
  /** JSON Schema of the output. */
  output?: Schema;
  /** `<provider>/<model_name>`, or `auto`. Default: the model of the function's settings. */
  model?: string;
  /** Use of cached answers, if the settings of the function enable caching. `default`: a cached answer is used. `reload`: a model is called, and its answer is cached. `no-store`: a model is called, and nothing is cached. */
  cache?: "default" | "reload" | "no-store";
  /** Written to the server log with the id of the call. `subject`, such as a user id, keeps the calls about it on one variant of an experiment. */
  metadata?: {
    [name: string]: string;
  };
  /** Stream the response as server-sent events: `start`; while a model writes the output, `delta` events, each with the whole `output` so far, and `restart` if that output is void; then `done` with the result, or `error`. */
  stream?: boolean;
  /** Of a stream: a `log` event for each line that code logs, as it comes. */
  logs?: boolean;
};

export type Call = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Name that was called. */
  name: string;
  /** `stored`: a stored function was executed. `generated`: a model answered. `cache`: a cached answer of a model. */
  source: "stored" | "generated" | "cache";
  functionId: string | null;
  executionId: string | null;
  input: Record<string, unknown>;
  output: Record<string, unknown>;
  /** Model that answered. Absent for code. */
  model?: string;
  /** Present if a model answered. */
  promptTokens?: number;
  /** Present if a model answered. */
  completionTokens?: number;
  /** Present if a model answered. */
  totalTokens?: number;
  /** Adjustments made to the request. */
  warnings: (string)[];
  /** UTC, with milliseconds. */
  createdAt: string;
  /** UTC, with milliseconds. */
  completedAt: string;
};

export type ObservedName = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Name that was called. */
  name: string;
  /** Number of calls, whatever their outcome. */
  count: number;
  /** Number of calls that were refused because models may not answer them. */
  refused: number;
  /** UTC, with milliseconds. */
  firstSeenAt: string;
  /** UTC, with milliseconds. */
  lastSeenAt: string;
  /** Input members by name: the first 50. */
  input: {
    [name: string]: {
      /** JSON types of its values. */
      types: (string)[];
      /** Number of calls with this member. */
      count: number;
    };
  };
  /** Output schema of the latest call that declared one. Null if none did, or if it exceeds 8,192 characters. */
  output: Schema | null;
};

export type ObservedNamePage = {
  data: (ObservedName)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type CallRecord = {
  /** Opaque; assigned by the service. */
  id: string;
  /** The function that was called. Null if it is not stored. */
  functionId: string | null;
  /** The name that was called. Null where the answer is not that of a call by name. */
  name: string | null;
  /** Version of the settings of the function. Null if they are not stored. */
  settingsVersion: number | null;
  /** The model that answered, or that failed last. Null if code answered. */
  model: string | null;
  /** `repaired`: the output fitted its schema only after its JSON was mended, or the model was asked again. */
  outcome: "completed" | "repaired" | "failed" | "cancelled" | "cached";
  /** Of the error that the caller received. Null if there was none. */
  errorCode: string | null;
  /** How the first model was chosen. Null where none was. */
  decision: {
    /** `affinity`: it is the model of the conversation. `order`: that of the config, without a router. */
    by: "caller" | "router" | "order" | "affinity";
    /** The alias that the caller named. */
    alias?: string;
    /** Present if the call was a trial. Nothing is learned from it. */
    trial?: true;
    /** Where it was left to chance: the models in the order that was drawn. */
    candidates?: ({
      model: string;
      /** Probability of being the first. */
      propensity: number;
    })[];
    /** Of the first, where it was left to chance. */
    reason?: string;
  } | null;
  /** The models that failed before. */
  attempts: ({
    model: string;
    /** Error code. */
    code: string;
  })[];
  /** Of all models that were asked. Null if the price of one is not known. */
  cost: {
    /** A decimal, exact. */
    amount: string;
    currency: "USD";
  } | null;
  promptTokens: number;
  completionTokens: number;
  /** Milliseconds, from the beginning of the call to its end. */
  durationMs: number;
  /** The call that made this one: an execution, or a loop over tools. */
  parentId: string | null;
  /** Milliseconds in the queue before the call began. Null if it was not queued. */
  queuedMs: number | null;
  /** Milliseconds until the first output; without a stream, until the output was complete. Null if there was none. */
  firstOutputMs: number | null;
  /** Work beside the request that answered the call, in order of the ends: at most 100 steps, and the number of further ones. */
  steps: ({
    /** `attempt`: a model that failed, or whose stream was interrupted. `repair`: an output that did not fit its schema. `tool`: a tool of a mounted server. `fetch`: a request of code over HTTP. `call`: a call that has its own record. `omitted`: further steps. */
    kind: "attempt" | "repair" | "tool" | "fetch" | "call" | "omitted";
    /** Of the model, tool, host or function. */
    name?: string;
    /** Of the record of a call. */
    id?: string;
    /** Milliseconds from the beginning of the call. */
    atMs?: number;
    durationMs?: number;
    /** Error code. Absent if the step succeeded. */
    code?: string;
    /** Message of the error. */
    detail?: string;
    /** Places of the error, at most five. */
    errors?: ({
      pointer: string;
      detail: string;
    })[];
    /** Number of omitted steps. */
    count?: number;
  })[];
  /** The execution that answered, or whose code asked. */
  executionId: string | null;
  /** Who called. */
  keyId: string;
  requestId: string;
  /** When the call ended. */
  createdAt: string;
};

export type CallRecordPage = {
  data: (CallRecord)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type CallContent = {
  /** Id of the call. */
  id: string;
  /** How much is stored: nothing, the summary only, or the documents as well. */
  level: "off" | "metadata" | "full";
  /** Sizes, counts and names. Null: nothing is stored. */
  summary: {
    /** Size of the request as JSON, about. */
    requestBytes: number;
    /** Size of the response as JSON, about. Null: there was none, or only a part of one. */
    responseBytes: number | null;
    /** Number of messages in the request. */
    messages: number;
    /** Number of messages by role. */
    roles: {
      [name: string]: number;
    };
    /** Names of the tools of the request. */
    tools: (string)[];
    /** Names of the tools that the model called. */
    toolCalls: (string)[];
    /** Why the model stopped, in the words of the API of the response. */
    finishReason: string | null;
    /** Outputs for which the model was asked again. */
    repairs: ({
      model: string;
      bytes: number;
      errors: ({
        pointer: string;
        detail: string;
      })[];
    })[];
  } | null;
  /** Null: it is not stored. */
  request: Record<string, unknown> | null;
  /** Null: it is not stored, there was none, or only a part of one. */
  response: Record<string, unknown> | null;
  /** Outputs that did not match the schema, in order. */
  repairs: ({
    model: string;
    /** The object, or the text if it was no JSON. */
    output: unknown;
    errors: ({
      pointer: string;
      detail: string;
    })[];
  })[];
  /** JSON pointers of members that redaction rules removed. */
  redacted: (string)[];
  /** Texts that were shortened, and their size before. */
  cut: ({
    pointer: string;
    /** Of a text, or of everything. */
    bytes?: number;
    /** Of an array or object. */
    items?: number;
  })[];
  /** Files, of which only size and type are stored. */
  omitted: ({
    pointer: string;
    bytes: number;
    mediaType?: string;
  })[];
};

export type UsageTotals = {
  /** Executions of functions. */
  executions: number;
  /** Calls of models; a request can take several. */
  modelCalls: number;
  /** Calls of models that were not made, because an answer that was kept did. */
  cachedCalls: number;
  /** Feedback about answers, by the function and model of the answer and the key that gave it. */
  feedback: number;
  /** Executions and model calls that did not complete. */
  failures: number;
  /** Input tokens that were not in the provider's prompt cache. */
  uncachedInputTokens: number;
  /** Input tokens read from the prompt cache. */
  cacheReadTokens: number;
  /** Input tokens written to the prompt cache. */
  cacheWriteTokens: number;
  /** Output tokens, including reasoning tokens. */
  outputTokens: number;
  /** Reasoning tokens, which `outputTokens` includes. */
  reasoningTokens: number;
  /** Total duration of the calls in milliseconds. */
  durationMs: number;
  /** Cost of the calls whose price is known. Null if no price is known. */
  cost: {
    /** Exact decimal amount. */
    amount: string;
    currency: "USD";
  } | null;
  /** Calls of models whose price is not known. */
  unpricedCalls: number;
};

export type Usage = {
  /** One entry for each group, in the order of their names; empty without `groupBy`. */
  data: ({
    /** Empty: what belongs to none, such as executions by model. */
    group: string;
    /** Executions of functions. */
    executions: number;
    /** Calls of models; a request can take several. */
    modelCalls: number;
    /** Calls of models that were not made, because an answer that was kept did. */
    cachedCalls: number;
    /** Feedback about answers, by the function and model of the answer and the key that gave it. */
    feedback: number;
    /** Executions and model calls that did not complete. */
    failures: number;
    /** Input tokens that were not in the provider's prompt cache. */
    uncachedInputTokens: number;
    /** Input tokens read from the prompt cache. */
    cacheReadTokens: number;
    /** Input tokens written to the prompt cache. */
    cacheWriteTokens: number;
    /** Output tokens, including reasoning tokens. */
    outputTokens: number;
    /** Reasoning tokens, which `outputTokens` includes. */
    reasoningTokens: number;
    /** Total duration of the calls in milliseconds. */
    durationMs: number;
    /** Cost of the calls whose price is known. Null if no price is known. */
    cost: {
      /** Exact decimal amount. */
      amount: string;
      currency: "USD";
    } | null;
    /** Calls of models whose price is not known. */
    unpricedCalls: number;
  })[];
  total: UsageTotals;
  meta: {
    from: string;
    to: string;
    groupBy?: "key" | "function" | "model" | "provider" | "kind" | "outcome" | "hour" | "day";
  };
};

export type Budgets = {
  /** Up to 100 budgets, those of which most was spent first. */
  data: ({
    /** Owner of the budget: a key or a tenant. */
    scope: "key" | "tenant";
    /** Id of the key, or of the tenant. */
    id: string;
    /** Name of the key. Null for the tenant. */
    name: string | null;
    /** A calendar day or month in UTC. */
    period: "day" | "month";
    currency: "USD";
    /** The budget, as an exact decimal amount. */
    limit: string;
    /** Cost of the model calls of this period. */
    spent: string;
    /** Remaining amount. Zero if the last call cost more than was left. */
    remaining: string;
    /** Time at which the next period begins. */
    resetsAt: string;
  })[];
  meta: {
    /** Number of budgets. */
    total: number;
    /** False if the limits of the server are off. */
    enforced: boolean;
  };
};

export type CallSums = {
  /** Calls that ended. */
  calls: number;
  /** Calls whose output fitted its schema only after a repair. */
  repaired: number;
  /** Calls that failed. */
  failed: number;
  /** Calls whose client left, or that were cancelled. */
  cancelled: number;
  /** Calls that a kept answer served. */
  cached: number;
  /** Durations of the calls in milliseconds, within 5 %. Null without calls. */
  durationMs: {
    /** Half of the calls took no longer. */
    p50: number;
    /** 95 of 100 calls took no longer. */
    p95: number;
    /** 99 of 100 calls took no longer. */
    p99: number;
  } | null;
  /** Cost of the calls whose price is known. */
  cost: {
    /** Exact decimal amount. */
    amount: string;
    currency: "USD";
  };
};

export type Overview = {
  /** Periods in which there were calls, in order. */
  data: ({
    /** When the period begins. */
    start: string;
    /** Calls that ended. */
    calls: number;
    /** Calls whose output fitted its schema only after a repair. */
    repaired: number;
    /** Calls that failed. */
    failed: number;
    /** Calls whose client left, or that were cancelled. */
    cancelled: number;
    /** Calls that a kept answer served. */
    cached: number;
    /** Durations of the calls in milliseconds, within 5 %. Null without calls. */
    durationMs: {
      /** Half of the calls took no longer. */
      p50: number;
      /** 95 of 100 calls took no longer. */
      p95: number;
      /** 99 of 100 calls took no longer. */
      p99: number;
    } | null;
    /** Cost of the calls whose price is known. */
    cost: {
      /** Exact decimal amount. */
      amount: string;
      currency: "USD";
    };
  })[];
  total: CallSums;
  /** Storage, executor, providers and other parts of this server. */
  parts: ({
    /** Its mount in the config, such as `executor`. */
    name: string;
    /** `warn`: it works, but something about it does not. */
    status: "pass" | "warn" | "fail";
  })[];
  meta: {
    from: string;
    to: string;
    by: "hour" | "day";
  };
};

export type WebhookInput = {
  /** URL that receives the events: `https`, to a public address, unless the operator allows others. */
  url: string;
  /** Event types to send. `*` is every type, including future ones. */
  events: ("function.created" | "function.updated" | "function.deleted" | "function.settings.updated" | "experiment.ended" | "execution.completed" | "execution.failed" | "dead_letter.created" | "schedule.paused" | "generation.completed" | "chat.completed" | "embedding.completed" | "function_call.completed" | "gateway.failed" | "model.fallback" | "feedback.created" | "feedback.deleted" | "key.created" | "key.revoked" | "webhook.disabled" | "webhook.test" | "*")[];
  /** Description of the webhook. */
  description?: string;
  /** False if sending is paused. */
  enabled?: boolean;
};

export type Webhook = {
  /** Opaque; assigned by the service. */
  id: string;
  /** URL that receives the events. */
  url: string;
  /** Event types to send. */
  events: (string)[];
  description: string;
  enabled: boolean;
  /** Reason why the server disabled it: the receiver returned 410, or every attempt failed for five days. Null if the server did not disable it. */
  disabledReason: "gone" | "failing" | null;
  /** Time since which nothing is sent. */
  disabledAt: string | null;
  /** Time until which deliveries are also signed with the previous secret. */
  previousUntil: string | null;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that created the webhook. */
  createdBy: string;
  /** UTC, with milliseconds. */
  updatedAt: string;
};

export type NewWebhook = {
  /** Opaque; assigned by the service. */
  id: string;
  /** URL that receives the events. */
  url: string;
  /** Event types to send. */
  events: (string)[];
  description: string;
  enabled: boolean;
  /** Reason why the server disabled it: the receiver returned 410, or every attempt failed for five days. Null if the server did not disable it. */
  disabledReason: "gone" | "failing" | null;
  /** Time since which nothing is sent. */
  disabledAt: string | null;
  /** Time until which deliveries are also signed with the previous secret. */
  previousUntil: string | null;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Caller that created the webhook. */
  createdBy: string;
  /** UTC, with milliseconds. */
  updatedAt: string;
  /** Signing secret: `whsec_…`. Shown only once. */
  secret: string;
};

export type WebhookPage = {
  data: (Webhook)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type WebhookDelivery = {
  /** Opaque; assigned by the service. */
  id: string;
  /** Opaque; assigned by the service. */
  webhookId: string;
  /** The `webhook-id` of every attempt. */
  eventId: string;
  /** Such as `function.created`. */
  eventType: string;
  /** `failed`: the last attempt of the schedule failed, or the receiver answered 410. */
  state: "waiting" | "delivered" | "failed";
  /** Number of attempts. */
  attempts: number;
  /** Time of the next attempt. Null once the delivery has ended. */
  nextAttemptAt: string | null;
  /** UTC, with milliseconds. */
  createdAt: string;
  /** Time at which the delivery ended. */
  completedAt: string | null;
  /** The last attempts, oldest first. */
  log: ({
    /** UTC, with milliseconds. */
    at: string;
    /** Status code of the response. Null if there was none. */
    status: number | null;
    durationMs: number;
    /** Reason of the failure, such as `answer_timeout` or `status`. */
    failure: string | null;
    /** First KiB of the response, without control characters. */
    response: string;
  })[];
};

export type WebhookDeliveryPage = {
  data: (WebhookDelivery)[];
  meta: {
    /** Total number of entries. With a filter or a time, 10,000 may stand for more. */
    total: number;
    limit: number;
    offset: number;
    /** Value of `cursor` for the next page. Absent on the last page. */
    nextCursor?: string;
  };
};

export type WebhookReplay = {
  /** Time of the first event, in the past. */
  since: string;
};

export type WebhookReplayed = {
  /** UTC, with milliseconds. */
  since: string;
  /** UTC, with milliseconds. */
  until: string;
};

export type Problem = {
  /** `urn:patchbay:error:` and the code. */
  type: string;
  /** Summary of the problem type. */
  title: string;
  status: number;
  /** Explanation of this occurrence of the problem. */
  detail: string;
  /** `urn:patchbay:request:` and the request id. */
  instance: string;
  /** Stable name of the problem type. */
  code: string;
  /** ID of the request, as in the header `Request-Id`. */
  requestId: string;
  /** True if the same request may succeed later. */
  retryable: boolean;
  /** Individual errors, if there are several. */
  errors?: ({
    /** JSON Pointer into the body, or `?name` for a query parameter. */
    pointer: string;
    code: string;
    detail: string;
    line?: number;
    column?: number;
  })[];
  /** The execution that did not complete; without ids where a function was only tested. */
  execution?: Execution | TestResult;
};

export type Health = {
  status: "ok" | "draining";
};

export type RequestCancellation = {
  /** Requests that were cancelled. */
  cancelled: number;
};

export type Empty = Record<string, never>;

/** Parameters, body and response of each operation. */
export interface Operations {
  listFunctions: { path: {  }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt" | "updatedAt" | "name" }; body: undefined; response: FunctionPage };
  createFunction: { path: {  }; query: {  }; body: {
  /** Free text for people. Not unique. */
  name: string;
  /** Purpose of the function. */
  description?: string;
  input: Schema;
  output: Schema;
  /** JavaScript or TypeScript with one function: `export default`, a named function, a function expression, or `main`. Omitted or empty if a model implements the function. */
  code?: string;
  bundle?: FunctionBundle;
  settings?: FunctionSettings;
}; response: Function };
  getFunction: { path: { id: string }; query: {  }; body: undefined; response: Function };
  replaceFunction: { path: { id: string }; query: {  }; body: {
  /** Free text for people. Not unique. */
  name: string;
  /** Purpose of the function. */
  description?: string;
  input: Schema;
  output: Schema;
  /** JavaScript or TypeScript with one function: `export default`, a named function, a function expression, or `main`. Omitted or empty if a model implements the function. */
  code?: string;
  bundle?: FunctionBundle;
  settings?: FunctionSettings;
}; response: Function };
  deleteFunction: { path: { id: string }; query: {  }; body: undefined; response: Deletion };
  executeFunction: { path: { id: string }; query: {  }; body: {
  /** Input of the function. Properties with a default may be omitted. */
  input: object;
  trial?: Trial;
}; response: Execution };
  testFunction: { path: {  }; query: {  }; body: {
  /** Function to test, as in a request to create it. */
  function: {
    input: Schema;
    output: Schema;
    /** Same as in a new function. */
    code: string;
    bundle?: FunctionBundle;
  };
  /** Input of the function. */
  input: object;
  /** Stream the response as server-sent events: `start`; `log` for each line that the code logs; `delta` with each `output` that a generator yields; then `done` with the result, or `error`. */
  stream?: boolean;
}; response: TestResult };
  runProgram: { path: {  }; query: {  }; body: {
  /** TypeScript: the body of an async function. Its `return` is the `value` of the output. */
  code: string;
}; response: Execution };
  listExecutions: { path: {  }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt"; status?: "queued" | "running" | "completed" | "failed" | "timed_out" | "cancelled" | "interrupted" }; body: undefined; response: ExecutionPage };
  getExecution: { path: { id: string }; query: {  }; body: undefined; response: Execution };
  cancelExecution: { path: { id: string }; query: {  }; body: undefined; response: Execution };
  rerunExecution: { path: { id: string }; query: {  }; body: undefined; response: Execution };
  listFunctionExecutions: { path: { id: string }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt" }; body: undefined; response: ExecutionPage };
  listDeadLetters: { path: {  }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt"; functionId?: string }; body: undefined; response: DeadLetterPage };
  rerunDeadLetters: { path: { id: string }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt" }; body: undefined; response: RerunPage };
  removeDeadLetter: { path: { id: string }; query: {  }; body: undefined; response: Deletion };
  followExecutionLogs: { path: { id: string }; query: {  }; body: undefined; response: ExecutionLogs };
  listFunctionVersions: { path: { id: string }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "version" }; body: undefined; response: FunctionVersionPage };
  getFunctionVersion: { path: { id: string; version: string }; query: {  }; body: undefined; response: FunctionVersion };
  restoreFunctionVersion: { path: { id: string; version: string }; query: {  }; body: Record<string, never>; response: Function };
  getFunctionSettings: { path: { id: string }; query: {  }; body: undefined; response: StoredSettings };
  replaceFunctionSettings: { path: { id: string }; query: { label?: string }; body: {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  routing?: Routing;
  /** The system prompt. */
  system?: string;
  /** Prompt template. `{{input}}` is the whole input as JSON, `{{input.text}}` a member of it; `{{name}}` and `{{description}}` are those of the function. Default: the input as JSON. */
  prompt?: string;
  /** Tokens that the answer may have. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** Inputs with correct outputs, shown to the model before the prompt. */
  examples?: readonly ({
    input: object;
    output: object;
  })[];
  /** Maximum number of repairs of an invalid answer. Default 2. */
  repairs?: number;
  /** Seconds for which the answer to an equal call is cached. Default 0: never. */
  cacheSeconds?: number;
  /** Repetition of asynchronous executions and those of schedules. Default: none is repeated. */
  retry?: {
    /** Number of runs, with the first one. */
    attempts: number;
    /** Interval before the second run, such as `30s`. It is doubled before each further one, up to an hour. Default `1s`. */
    backoff?: string;
    /** Statuses after which a run is repeated. Default: all. */
    on?: readonly ("failed" | "timed_out" | "interrupted")[];
  };
  /** Milliseconds that the code of the function may run. Default, and at most: those of the config. */
  timeoutMs?: number;
  /** Megabytes of memory that the code of the function may use. Default, and at most: those of the executor. */
  memoryMb?: number;
  /** Executions that run at the same time, on all servers together. More of them wait, or return 429 if the caller does. Applies to asynchronous executions, and to all of functions with code. Default: any number. */
  concurrency?: {
    /** Number of executions. */
    limit: number;
    /** Property of the input. Executions with other values of it do not count. */
    by?: string;
  };
  /** How often the function runs, on all servers together: `burst` times at once, and then `requests` times per `seconds`. Further executions wait in the queue, or return 429 if the caller waits. Default: any number. */
  rateLimit?: {
    requests: number;
    seconds: number;
    burst: number;
  };
  /** The most that is stored of the content of calls. Default, and at most: `callRecords.content` of the config. */
  content?: "off" | "metadata" | "full";
  /** Metrics of feedback, by name. `score` exists without being declared. */
  metrics?: {
    [name: string]: {
      /** Direction in which the metric is better. Absent: the metric is only recorded. */
      optimize?: "max" | "min";
      /** Share in the choice of a model, next to other metrics. */
      weight?: number;
    };
  };
  /** The function as a tool of agents. */
  mcp?: {
    /** List the function as a tool of the MCP endpoint. Default true. */
    expose?: boolean;
    /** Run calls as tasks, whose results agents with support for tasks read later. Default false. */
    task?: boolean;
  };
}; response: StoredSettings };
  deleteFunctionSettings: { path: { id: string }; query: {  }; body: undefined; response: Deletion };
  explainFunctionSettings: { path: { id: string }; query: {  }; body: undefined; response: ExplainedSettings };
  listSettingsVersions: { path: { id: string }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "version" }; body: undefined; response: SettingsVersionPage };
  getSettingsVersion: { path: { id: string; version: string }; query: {  }; body: undefined; response: StoredSettings };
  getSettingsLabel: { path: { id: string; label: string }; query: {  }; body: undefined; response: StoredSettings };
  moveSettingsLabel: { path: { id: string; label: string }; query: {  }; body: {
  /** Incremented with every change of the settings. */
  version: number;
}; response: StoredSettings };
  startExperiment: { path: { id: string }; query: {  }; body: {
  /** Versions of the settings. */
  variants: readonly (number)[];
  /** Metric to compare by: `score`, or one that the settings declare with `optimize`. */
  metric?: string;
  /** `adaptive`: calls go to the versions that may be the best, and the experiment ends by itself. `fixed`: each version has the same share, until the experiment is stopped. */
  allocation?: "fixed" | "adaptive";
  /** Probability of a winner that is worse than the best version by more than `epsilon`: at most. */
  delta?: number;
  /** Difference of mean scores that does not matter. The smaller, the more scores it takes. */
  epsilon?: number;
  /** Scores that each version has before the experiment can end. */
  minPerVariant?: number;
  /** Label whose calls are shared out. Default: the one that calls use, `production` unless the config says otherwise. */
  label?: string;
}; response: Experiment };
  getExperiment: { path: { id: string }; query: {  }; body: undefined; response: Experiment };
  listExperiments: { path: { id: string }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt" }; body: undefined; response: ExperimentPage };
  stopExperiment: { path: { id: string }; query: {  }; body: undefined; response: Experiment };
  rollBackExperiment: { path: { id: string }; query: {  }; body: undefined; response: Experiment };
  readDataset: { path: { id: string }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt"; source?: "import" | "feedback" }; body: undefined; response: ExamplePage };
  importDataset: { path: { id: string }; query: {  }; body: {
  examples: readonly (ExampleInput)[];
}; response: DatasetImportResult };
  deleteExample: { path: { id: string; example: string }; query: {  }; body: undefined; response: Deletion };
  deleteDataset: { path: { id: string }; query: {  }; body: undefined; response: Deletion };
  createSchedule: { path: { id: string }; query: {  }; body: {
  /** Unique among the schedules of the function. It cannot be changed. */
  name?: string;
  /** Pattern of five fields: minute, hour, day of the month, month, day of the week. With six fields, the first one is the second. */
  cron?: string;
  /** Interval since the schedule was created: `90s`, `5m`, `1h` or `7d`. */
  every?: string;
  /** IANA name of the time zone of `cron`, such as `Europe/Berlin`. Default: `UTC`. */
  timezone?: string;
  /** Input of every run. Properties with a default may be omitted. */
  input?: object;
  /** If the previous run has not ended at a time of the schedule: `skip` records a `cancelled` execution, `queue` waits for the previous run, `allow` runs both. */
  overlap?: "skip" | "queue" | "allow";
  /** Times that are made up if no server was there for them within ten seconds: none of them, the last one, or all. */
  catchUp?: "none" | "last" | "all";
  /** Whether it runs. */
  enabled?: boolean;
}; response: Schedule };
  listSchedules: { path: { id: string }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt" }; body: undefined; response: SchedulePage };
  getSchedule: { path: { id: string; schedule: string }; query: {  }; body: undefined; response: Schedule };
  replaceSchedule: { path: { id: string; schedule: string }; query: {  }; body: {
  /** Unique among the schedules of the function. It cannot be changed. */
  name?: string;
  /** Pattern of five fields: minute, hour, day of the month, month, day of the week. With six fields, the first one is the second. */
  cron?: string;
  /** Interval since the schedule was created: `90s`, `5m`, `1h` or `7d`. */
  every?: string;
  /** IANA name of the time zone of `cron`, such as `Europe/Berlin`. Default: `UTC`. */
  timezone?: string;
  /** Input of every run. Properties with a default may be omitted. */
  input?: object;
  /** If the previous run has not ended at a time of the schedule: `skip` records a `cancelled` execution, `queue` waits for the previous run, `allow` runs both. */
  overlap?: "skip" | "queue" | "allow";
  /** Times that are made up if no server was there for them within ten seconds: none of them, the last one, or all. */
  catchUp?: "none" | "last" | "all";
  /** Whether it runs. */
  enabled?: boolean;
}; response: Schedule };
  deleteSchedule: { path: { id: string; schedule: string }; query: {  }; body: undefined; response: Deletion };
  pauseSchedule: { path: { id: string; schedule: string }; query: {  }; body: undefined; response: Schedule };
  resumeSchedule: { path: { id: string; schedule: string }; query: {  }; body: undefined; response: Schedule };
  listNextRuns: { path: { id: string; schedule: string }; query: { limit?: number }; body: undefined; response: NextRuns };
  runSchedule: { path: { id: string; schedule: string }; query: {  }; body: undefined; response: Execution };
  listScheduledExecutions: { path: { id: string; schedule: string }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt" }; body: undefined; response: ExecutionPage };
  callFunctionByName: { path: { name: string }; query: {  }; body: {
  /** Input of the function. */
  input?: object;
  /** JSON Schema of the output. */
  output?: Schema;
  /** `<provider>/<model_name>`, or `auto`. Default: the model of the function's settings. */
  model?: string;
  /** Use of cached answers, if the settings of the function enable caching. `default`: a cached answer is used. `reload`: a model is called, and its answer is cached. `no-store`: a model is called, and nothing is cached. */
  cache?: "default" | "reload" | "no-store";
  /** Written to the server log with the id of the call. `subject`, such as a user id, keeps the calls about it on one variant of an experiment. */
  metadata?: {
    [name: string]: string;
  };
  /** Stream the response as server-sent events: `start`; while a model writes the output, `delta` events, each with the whole `output` so far, and `restart` if that output is void; then `done` with the result, or `error`. */
  stream?: boolean;
  /** Of a stream: a `log` event for each line that code logs, as it comes. */
  logs?: boolean;
}; response: Call };
  listObservedNames: { path: {  }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "lastSeenAt" | "count" }; body: undefined; response: ObservedNamePage };
  deleteObservedName: { path: { id: string }; query: {  }; body: undefined; response: Deletion };
  promoteObservedName: { path: { id: string }; query: {  }; body: undefined; response: Function };
  generate: { path: {  }; query: {  }; body: {
  prompt: string;
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  /** Tokens that the answer may have. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  routing?: Routing;
  /** Answer with server-sent events: `start`, `delta`, and `done` with the whole result, or `error`. */
  stream?: boolean;
}; response: Generation };
  chat: { path: {  }; query: {  }; body: {
  messages: readonly (Message)[];
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  /** Tokens that the answer may have. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** Functions that the model may call; with `toolLoop` also names of tools of mounted servers, `docs.search` or `docs.*`. */
  tools?: readonly ({
    name: string;
    description?: string;
    parameters: Schema;
    /** The prompt may be cached up to here, where the vendor has to be asked. */
    cache?: {
      ttl?: "5m" | "1h";
    };
  } | string)[];
  /** The server calls the tools that are named, and sends their results to the model, until the model calls none of them any more. */
  toolLoop?: {
    /** Requests to models. */
    maxSteps?: number;
  };
  /** `auto`, `none`, `required`, or the name of the one function to call as `{"name": …}`. Default `auto`. */
  toolChoice?: "auto" | "none" | "required" | {
    name: string;
  };
  /** Whether one message may call several functions. */
  parallelToolCalls?: boolean;
  /** Texts that end the completion, and are not part of it. */
  stop?: readonly (string)[];
  /** For repeatable sampling, as far as the vendor has it. */
  seed?: number;
  /** How much the model reasons first. */
  reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
  responseSchema?: Schema;
  routing?: Routing;
  /** Answer with server-sent events: `start`, `delta`, and `done` with the whole result, or `error`. */
  stream?: boolean;
}; response: Chat };
  embed: { path: {  }; query: {  }; body: {
  text: string;
  /** For models that can shorten the vector. */
  dimensions?: number;
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  routing?: Routing;
}; response: Embedding };
  generateFunctionCall: { path: {  }; query: {  }; body: {
  messages: readonly (Message)[];
  functions: readonly ({
    name: string;
    description?: string;
    parameters: Schema;
    /** The prompt may be cached up to here, where the vendor has to be asked. */
    cache?: {
      ttl?: "5m" | "1h";
    };
  } | string)[];
  /** The server calls the tools that are named, and sends their results to the model, until the model calls none of them any more. */
  toolLoop?: {
    /** Requests to models. */
    maxSteps?: number;
  };
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  temperature?: number;
  routing?: Routing;
  /** Answer with server-sent events: `start`, `delta`, and `done` with the whole result, or `error`. */
  stream?: boolean;
}; response: FunctionCall };
  listModels: { path: {  }; query: {  }; body: undefined; response: ModelList };
  explainModels: { path: {  }; query: {  }; body: {
  messages?: readonly (Message)[];
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model?: string;
  /** Tokens that the answer may have. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** Functions that the model may call; with `toolLoop` also names of tools of mounted servers, `docs.search` or `docs.*`. */
  tools?: readonly ({
    name: string;
    description?: string;
    parameters: Schema;
    /** The prompt may be cached up to here, where the vendor has to be asked. */
    cache?: {
      ttl?: "5m" | "1h";
    };
  } | string)[];
  /** The server calls the tools that are named, and sends their results to the model, until the model calls none of them any more. */
  toolLoop?: {
    /** Requests to models. */
    maxSteps?: number;
  };
  /** `auto`, `none`, `required`, or the name of the one function to call as `{"name": …}`. Default `auto`. */
  toolChoice?: "auto" | "none" | "required" | {
    name: string;
  };
  /** Whether one message may call several functions. */
  parallelToolCalls?: boolean;
  /** Texts that end the completion, and are not part of it. */
  stop?: readonly (string)[];
  /** For repeatable sampling, as far as the vendor has it. */
  seed?: number;
  /** How much the model reasons first. */
  reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
  responseSchema?: Schema;
  routing?: Routing;
  /** The function that the model is to do: how well each kept to its output before then counts. */
  functionName?: string;
  /** Version of the settings of the function. 0 if they are not stored. */
  settingsVersion?: number;
}; response: Explanation };
  getModel: { path: { id: string }; query: {  }; body: undefined; response: Model };
  createChatCompletion: { path: {  }; query: {  }; body: {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  messages: readonly ({
    role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
    /** A string, or parts of the types `text`, `image_url`, `input_audio`, `file` and `refusal`. */
    content?: string | readonly (object)[] | null;
    /** Tool calls of an assistant message. */
    tool_calls?: readonly (object)[];
    /** ID of the tool call that a tool message answers. */
    tool_call_id?: string;
    [name: string]: unknown;
  })[];
  /** Functions that the model may call: `{type: "function", function: {name, description, parameters, strict}}`. */
  tools?: readonly (object)[];
  /** `none`, `auto`, `required`, or one function. */
  tool_choice?: string | object;
  /** Whether the model may call several tools at once. */
  parallel_tool_calls?: boolean;
  /** `text`, `json_object`, or `json_schema` with a schema. */
  response_format?: object;
  max_completion_tokens?: number;
  /** Older name of `max_completion_tokens`. */
  max_tokens?: number;
  temperature?: number;
  top_p?: number;
  stop?: string | readonly (string)[];
  seed?: number;
  /** Reasoning effort of the model. */
  reasoning_effort?: string;
  /** Stream the response as server-sent events. */
  stream?: boolean;
  stream_options?: {
    /** Send the token usage at the end of the stream. */
    include_usage?: boolean;
    [name: string]: unknown;
  };
  routing?: Routing;
  [name: string]: unknown;
}; response: ChatCompletion };
  createEmbeddings: { path: {  }; query: {  }; body: {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  /** A string, or up to 2,048 strings. */
  input: string | readonly (string)[];
  /** Number of dimensions, for models that can shorten embeddings. */
  dimensions?: number;
  /** `base64` encodes little-endian 32-bit floats. */
  encoding_format?: "float" | "base64";
  routing?: Routing;
  [name: string]: unknown;
}; response: EmbeddingList };
  createResponse: { path: {  }; query: {  }; body: {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  /** A string from the user, or items of the types `message`, `function_call`, `function_call_output`, `reasoning` and `item_reference`. References name items that this server returned to the same tenant within the last hour. Models of OpenAI take items of every type. */
  input?: string | readonly (object)[];
  instructions?: string | null;
  /** Functions that the model may call: `{type: "function", name, description, parameters, strict}`. */
  tools?: readonly (object)[];
  /** `auto`, `none`, `required`, `{type: "function", name}`, or `{type: "allowed_tools", mode, tools}`. */
  tool_choice?: string | object;
  /** `format`: `{type: "text"}`, `{type: "json_object"}` or `{type: "json_schema", name, schema}`. */
  text?: object | null;
  /** `effort`, and `summary` for models of OpenAI. */
  reasoning?: object | null;
  /** `reasoning.encrypted_content` includes encrypted reasoning, which later requests send back. */
  include?: readonly (string)[] | null;
  max_output_tokens?: number | null;
  temperature?: number | null;
  top_p?: number | null;
  stream?: boolean | null;
  /** Models of OpenAI only: the id of a response that this server returned to the same tenant within two hours. */
  previous_response_id?: string | null;
  routing?: Routing;
  [name: string]: unknown;
}; response: ResponseObject };
  compactResponse: { path: {  }; query: {  }; body: {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  /** The conversation: a string from the user, or items. */
  input?: string | readonly (object)[] | null;
  instructions?: string | null;
  /** Models of OpenAI only: the id of a response that this server returned to the same tenant within two hours. */
  previous_response_id?: string | null;
  routing?: Routing;
  [name: string]: unknown;
}; response: CompactionObject };
  createMessage: { path: {  }; query: { beta?: "true" }; body: {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  max_tokens: number;
  messages: readonly ({
    role: "user" | "assistant";
    /** A string, or blocks such as `text`, `image`, `document`, `tool_use`, `tool_result` and `thinking`. */
    content: string | readonly (object)[];
    [name: string]: unknown;
  })[];
  /** A string, or text blocks. */
  system?: string | readonly (object)[];
  /** Tools that the model may call: `{name, description, input_schema}`. */
  tools?: readonly (object)[];
  /** `auto`, `any`, `none`, or one tool. */
  tool_choice?: object;
  /** Reasoning effort of the model. */
  thinking?: object;
  /** `effort`, and `format` with a JSON Schema. */
  output_config?: object;
  stop_sequences?: readonly (string)[];
  temperature?: number;
  top_p?: number;
  /** Stream the response as server-sent events. */
  stream?: boolean;
  routing?: Routing;
  [name: string]: unknown;
}; response: AnthropicMessage };
  countMessageTokens: { path: {  }; query: { beta?: "true" }; body: {
  /** `<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion. */
  model: string;
  messages: readonly ({
    role: "user" | "assistant";
    /** A string, or blocks such as `text`, `image`, `document`, `tool_use`, `tool_result` and `thinking`. */
    content: string | readonly (object)[];
    [name: string]: unknown;
  })[];
  /** A string, or text blocks. */
  system?: string | readonly (object)[];
  /** Tools that the model may call: `{name, description, input_schema}`. */
  tools?: readonly (object)[];
  /** `auto`, `any`, `none`, or one tool. */
  tool_choice?: object;
  /** Reasoning effort of the model. */
  thinking?: object;
  /** `effort`, and `format` with a JSON Schema. */
  output_config?: object;
  routing?: Routing;
  [name: string]: unknown;
}; response: TokenCount };
  listCompatibleModels: { path: {  }; query: { limit?: number; after_id?: string; before_id?: string; beta?: "true" }; body: undefined; response: CompatibleModelList };
  getCompatibleModel: { path: { id: string }; query: { beta?: "true" }; body: undefined; response: CompatibleModel };
  callMcp: { path: {  }; query: { mode?: "functions" | "code" }; body: {
  jsonrpc: "2.0";
  /** ID of a request and its response. Absent in notifications. */
  id?: string | number | null;
  /** Method, such as `tools/list` or `tools/call`. */
  method?: string;
  /** The parameters of the method. */
  params?: object;
  /** Result of a response. */
  result?: object;
  /** Error of a response: `code` and `message` of JSON-RPC; `data.code` is the error code of Patchbay. */
  error?: object;
  [name: string]: unknown;
}; response: McpMessage };
  getMcpMetadata: { path: {  }; query: {  }; body: undefined; response: ProtectedResource };
  listKeys: { path: {  }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt" }; body: undefined; response: KeyPage };
  listExpiringKeys: { path: {  }; query: { days?: number }; body: undefined; response: ExpiringKeys };
  createKey: { path: {  }; query: {  }; body: {
  /** Name of the key. Not unique. */
  name: string;
  /** Scopes of the key: a subset of those of its creator. `*` is every scope except `keys:permanent`, `metrics:read` and `tenants:read`. */
  scopes: readonly ("functions:read" | "functions:write" | "functions:execute" | "code:run" | "gateway:invoke" | "tools:call" | "models:read" | "settings:read" | "settings:write" | "webhooks:read" | "webhooks:write" | "keys:write" | "keys:permanent" | "calls:read" | "calls:content" | "feedback:read" | "feedback:write" | "usage:read" | "audit:read" | "metrics:read" | "tenants:read" | "*")[];
  /** Time after which the key is refused, no later than the credentials of the caller expire unless they have the scope `keys:permanent`. Null: the latest that is allowed. */
  expiresAt?: string | null;
  /** Addresses and networks (CIDR) that the key may be used from. Null: from everywhere. */
  ipAddresses?: readonly (string)[] | null;
  /** Ids of the functions that the key reaches, on every endpoint; no others exist for it. Null: all. */
  functions?: readonly (string)[] | null;
  /** Rate limit of the key: `burst` requests at once, refilled at `requests` per `seconds`. */
  rateLimit?: {
    requests: number;
    seconds: number;
    burst: number;
  } | null;
  /** Budget of the key for model calls. */
  budget?: {
    usd: number;
    /** A calendar day or month in UTC. */
    period: "day" | "month";
    /** Refuse a call unless all that it may cost is left. Otherwise, the last call may cost more than what is left. */
    strict?: boolean;
  } | null;
}; response: NewKey };
  getKey: { path: { id: string }; query: {  }; body: undefined; response: Key };
  rotateKey: { path: { id: string }; query: {  }; body: {
  /** Seconds for which the previous secret remains valid. */
  graceSeconds?: number;
}; response: NewKey };
  revokeKey: { path: { id: string }; query: {  }; body: undefined; response: Deletion };
  listWebhooks: { path: {  }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt" }; body: undefined; response: WebhookPage };
  createWebhook: { path: {  }; query: {  }; body: {
  /** URL that receives the events: `https`, to a public address, unless the operator allows others. */
  url: string;
  /** Event types to send. `*` is every type, including future ones. */
  events: readonly ("function.created" | "function.updated" | "function.deleted" | "function.settings.updated" | "experiment.ended" | "execution.completed" | "execution.failed" | "dead_letter.created" | "schedule.paused" | "generation.completed" | "chat.completed" | "embedding.completed" | "function_call.completed" | "gateway.failed" | "model.fallback" | "feedback.created" | "feedback.deleted" | "key.created" | "key.revoked" | "webhook.disabled" | "webhook.test" | "*")[];
  /** Description of the webhook. */
  description?: string;
  /** False if sending is paused. */
  enabled?: boolean;
}; response: NewWebhook };
  getWebhook: { path: { id: string }; query: {  }; body: undefined; response: Webhook };
  replaceWebhook: { path: { id: string }; query: {  }; body: {
  /** URL that receives the events: `https`, to a public address, unless the operator allows others. */
  url: string;
  /** Event types to send. `*` is every type, including future ones. */
  events: readonly ("function.created" | "function.updated" | "function.deleted" | "function.settings.updated" | "experiment.ended" | "execution.completed" | "execution.failed" | "dead_letter.created" | "schedule.paused" | "generation.completed" | "chat.completed" | "embedding.completed" | "function_call.completed" | "gateway.failed" | "model.fallback" | "feedback.created" | "feedback.deleted" | "key.created" | "key.revoked" | "webhook.disabled" | "webhook.test" | "*")[];
  /** Description of the webhook. */
  description?: string;
  /** False if sending is paused. */
  enabled?: boolean;
}; response: Webhook };
  deleteWebhook: { path: { id: string }; query: {  }; body: undefined; response: Deletion };
  rotateWebhookSecret: { path: { id: string }; query: {  }; body: undefined; response: NewWebhook };
  testWebhook: { path: { id: string }; query: {  }; body: undefined; response: WebhookDelivery };
  replayWebhook: { path: { id: string }; query: {  }; body: {
  /** Time of the first event, in the past. */
  since: string;
}; response: WebhookReplayed };
  listWebhookDeliveries: { path: { id: string }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt"; state?: "waiting" | "delivered" | "failed" }; body: undefined; response: WebhookDeliveryPage };
  getWebhookDelivery: { path: { id: string; deliveryId: string }; query: {  }; body: undefined; response: WebhookDelivery };
  retryWebhookDelivery: { path: { id: string; deliveryId: string }; query: {  }; body: undefined; response: WebhookDelivery };
  listCalls: { path: {  }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt"; functionId?: string; model?: string; keyId?: string; outcome?: "completed" | "repaired" | "failed" | "cancelled" | "cached"; since?: string }; body: undefined; response: CallRecordPage };
  getCall: { path: { id: string }; query: {  }; body: undefined; response: CallRecord };
  getCallContent: { path: { id: string }; query: {  }; body: undefined; response: CallContent };
  giveFeedback: { path: {  }; query: {  }; body: {
  /** Id of a call, chat, generation, function call or execution, of the last 30 days. */
  target: string;
  /** Name of the metric: `score`, or one that the settings of the function declare. */
  metric?: string;
  /** A boolean or a number from 0 to 1. A text only for metrics without `optimize`. */
  value: boolean | number | string;
  /** Reason, in words. */
  comment?: string;
  /** Correct answer. */
  demonstration?: object | readonly (unknown)[] | string | number | boolean;
}; response: Feedback };
  listFeedback: { path: {  }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "createdAt"; target?: string; functionId?: string; name?: string; model?: string; metric?: string; since?: string }; body: undefined; response: FeedbackPage };
  getFeedback: { path: { id: string }; query: {  }; body: undefined; response: Feedback };
  deleteFeedback: { path: { id: string }; query: {  }; body: undefined; response: Deletion };
  applyEvidence: { path: { id: string }; query: {  }; body: {
  /** When the answers were given: scores fade. Default: now. */
  at?: string;
  /** Take back what the same body has added. */
  undo?: boolean;
  models: readonly ({
    /** Such as `openai/gpt-4`. */
    model: string;
    /** Version of the settings of the function; 0 if it has none. */
    settingsVersion: number;
    /** Of each answer, from 0 to 1. */
    scores: readonly (number)[];
  })[];
}; response: Evidence };
  listTenants: { path: {  }; query: { limit?: number; cursor?: string }; body: undefined; response: TenantPage };
  listAuditEntries: { path: {  }; query: { limit?: number; offset?: number; order?: "asc" | "desc"; cursor?: string; sort?: "sequence"; action?: "function.created" | "function.updated" | "function.deleted" | "function.settings.updated" | "experiment.started" | "experiment.ended" | "experiment.rolled_back" | "dataset.imported" | "dataset.deleted" | "schedule.created" | "schedule.updated" | "schedule.paused" | "schedule.deleted" | "functions.imported" | "feedback.deleted" | "function.evidence.applied" | "key.created" | "key.rotated" | "key.revoked" | "session.started" | "session.ended" | "webhook.created" | "webhook.updated" | "webhook.rotated" | "webhook.deleted" | "webhook.disabled" | "webhook.replayed"; resource?: string }; body: undefined; response: AuditPage };
  verifyAudit: { path: {  }; query: {  }; body: undefined; response: AuditVerification };
  readUsage: { path: {  }; query: { from?: string; to?: string; groupBy?: "key" | "function" | "model" | "provider" | "kind" | "outcome" | "hour" | "day" }; body: undefined; response: Usage };
  readOverview: { path: {  }; query: { from?: string; to?: string; by?: "hour" | "day" }; body: undefined; response: Overview };
  listBudgets: { path: {  }; query: {  }; body: undefined; response: Budgets };
  cancelRequests: { path: {  }; query: {  }; body: undefined; response: RequestCancellation };
  readMetrics: { path: {  }; query: {  }; body: undefined; response: unknown };
  getLiveness: { path: {  }; query: {  }; body: undefined; response: Health };
  getReadiness: { path: {  }; query: {  }; body: undefined; response: Health };
  getOpenApi: { path: {  }; query: {  }; body: undefined; response: unknown };
  getDocs: { path: {  }; query: {  }; body: undefined; response: unknown };
  getDocsFile: { path: { file: string }; query: {  }; body: undefined; response: unknown };
}

/** Area, method, path and scopes of each operation. */
export const routes: Readonly<Record<keyof Operations, string>> = {
  listFunctions: "functions GET /functions functions:read",
  createFunction: "functions POST /functions functions:write",
  getFunction: "functions GET /functions/:id functions:read",
  replaceFunction: "functions PUT /functions/:id functions:write",
  deleteFunction: "functions DELETE /functions/:id functions:write",
  executeFunction: "functions POST /functions/:id/execute functions:execute",
  testFunction: "functions POST /functions/test functions:write functions:execute",
  runProgram: "functions POST /executions code:run",
  listExecutions: "functions GET /executions functions:read",
  getExecution: "functions GET /executions/:id functions:read",
  cancelExecution: "functions DELETE /executions/:id functions:execute",
  rerunExecution: "functions POST /executions/:id/rerun functions:execute",
  listFunctionExecutions: "functions GET /functions/:id/executions functions:read",
  listDeadLetters: "functions GET /dead-letters functions:read",
  rerunDeadLetters: "functions POST /functions/:id/dead-letters/rerun functions:execute",
  removeDeadLetter: "functions DELETE /dead-letters/:id functions:execute",
  followExecutionLogs: "functions GET /executions/:id/logs functions:read",
  listFunctionVersions: "functions GET /functions/:id/versions functions:read",
  getFunctionVersion: "functions GET /functions/:id/versions/:version functions:read",
  restoreFunctionVersion: "functions POST /functions/:id/versions/:version/restore functions:write",
  getFunctionSettings: "functions GET /functions/:id/settings settings:read",
  replaceFunctionSettings: "functions PUT /functions/:id/settings settings:write",
  deleteFunctionSettings: "functions DELETE /functions/:id/settings settings:write",
  explainFunctionSettings: "functions GET /functions/:id/settings/explain settings:read",
  listSettingsVersions: "functions GET /functions/:id/settings/versions settings:read",
  getSettingsVersion: "functions GET /functions/:id/settings/versions/:version settings:read",
  getSettingsLabel: "functions GET /functions/:id/settings/labels/:label settings:read",
  moveSettingsLabel: "functions PUT /functions/:id/settings/labels/:label settings:write",
  startExperiment: "functions PUT /functions/:id/experiment settings:write",
  getExperiment: "functions GET /functions/:id/experiment settings:read",
  listExperiments: "functions GET /functions/:id/experiments settings:read",
  stopExperiment: "functions DELETE /functions/:id/experiment settings:write",
  rollBackExperiment: "functions POST /functions/:id/experiment/rollback settings:write",
  readDataset: "functions GET /functions/:id/dataset functions:read",
  importDataset: "functions POST /functions/:id/dataset functions:write",
  deleteExample: "functions DELETE /functions/:id/dataset/:example functions:write",
  deleteDataset: "functions DELETE /functions/:id/dataset functions:write",
  createSchedule: "functions POST /functions/:id/schedules functions:write functions:execute",
  listSchedules: "functions GET /functions/:id/schedules functions:read",
  getSchedule: "functions GET /functions/:id/schedules/:schedule functions:read",
  replaceSchedule: "functions PUT /functions/:id/schedules/:schedule functions:write functions:execute",
  deleteSchedule: "functions DELETE /functions/:id/schedules/:schedule functions:write",
  pauseSchedule: "functions POST /functions/:id/schedules/:schedule/pause functions:write",
  resumeSchedule: "functions POST /functions/:id/schedules/:schedule/resume functions:write functions:execute",
  listNextRuns: "functions GET /functions/:id/schedules/:schedule/next-runs functions:read",
  runSchedule: "functions POST /functions/:id/schedules/:schedule/run functions:execute",
  listScheduledExecutions: "functions GET /functions/:id/schedules/:schedule/executions functions:read",
  callFunctionByName: "functions POST /call/:name functions:execute",
  listObservedNames: "functions GET /observed-names functions:read",
  deleteObservedName: "functions DELETE /observed-names/:id functions:write",
  promoteObservedName: "functions POST /observed-names/:id/promote functions:write settings:write",
  generate: "gateway POST /generate gateway:invoke",
  chat: "gateway POST /chat gateway:invoke",
  embed: "gateway POST /embeddings gateway:invoke",
  generateFunctionCall: "gateway POST /function-calling gateway:invoke",
  listModels: "gateway GET /models models:read",
  explainModels: "gateway POST /models/explain models:read",
  getModel: "gateway GET /models/*id models:read",
  createChatCompletion: "gateway POST /v1/chat/completions gateway:invoke",
  createEmbeddings: "gateway POST /v1/embeddings gateway:invoke",
  createResponse: "gateway POST /v1/responses gateway:invoke",
  compactResponse: "gateway POST /v1/responses/compact gateway:invoke",
  createMessage: "gateway POST /v1/messages gateway:invoke",
  countMessageTokens: "gateway POST /v1/messages/count_tokens gateway:invoke",
  listCompatibleModels: "gateway GET /v1/models models:read",
  getCompatibleModel: "gateway GET /v1/models/*id models:read",
  callMcp: "functions POST /mcp",
  getMcpMetadata: "functions GET /.well-known/oauth-protected-resource/mcp",
  listKeys: "system GET /keys keys:write",
  listExpiringKeys: "system GET /expiring-keys keys:write",
  createKey: "system POST /keys keys:write",
  getKey: "system GET /keys/:id keys:write",
  rotateKey: "system POST /keys/:id/rotate keys:write",
  revokeKey: "system DELETE /keys/:id keys:write",
  listWebhooks: "system GET /webhooks webhooks:read",
  createWebhook: "system POST /webhooks webhooks:write",
  getWebhook: "system GET /webhooks/:id webhooks:read",
  replaceWebhook: "system PUT /webhooks/:id webhooks:write",
  deleteWebhook: "system DELETE /webhooks/:id webhooks:write",
  rotateWebhookSecret: "system POST /webhooks/:id/rotate-secret webhooks:write",
  testWebhook: "system POST /webhooks/:id/test webhooks:write",
  replayWebhook: "system POST /webhooks/:id/replay webhooks:write",
  listWebhookDeliveries: "system GET /webhooks/:id/deliveries webhooks:read",
  getWebhookDelivery: "system GET /webhooks/:id/deliveries/:deliveryId webhooks:read",
  retryWebhookDelivery: "system POST /webhooks/:id/deliveries/:deliveryId/retry webhooks:write",
  listCalls: "system GET /calls calls:read",
  getCall: "system GET /calls/:id calls:read",
  getCallContent: "system GET /calls/:id/content calls:content",
  giveFeedback: "system POST /feedback feedback:write",
  listFeedback: "system GET /feedback feedback:read",
  getFeedback: "system GET /feedback/:id feedback:read",
  deleteFeedback: "system DELETE /feedback/:id feedback:write",
  applyEvidence: "functions POST /functions/:id/evidence functions:write",
  listTenants: "system GET /tenants tenants:read",
  listAuditEntries: "system GET /audit audit:read",
  verifyAudit: "system GET /audit/verification audit:read",
  readUsage: "system GET /usage usage:read",
  readOverview: "system GET /overview usage:read",
  listBudgets: "system GET /budgets usage:read",
  cancelRequests: "system DELETE /requests",
  readMetrics: "system GET /metrics metrics:read",
  getLiveness: "system GET /healthz",
  getReadiness: "system GET /readyz",
  getOpenApi: "system GET /openapi.json",
  getDocs: "system GET /docs",
  getDocsFile: "system GET /docs/:file",
};

/** The values that the API knows, in its order. */
export const lists = {
  "scopes": [
    "functions:read",
    "functions:write",
    "functions:execute",
    "code:run",
    "gateway:invoke",
    "tools:call",
    "models:read",
    "settings:read",
    "settings:write",
    "webhooks:read",
    "webhooks:write",
    "keys:write",
    "keys:permanent",
    "calls:read",
    "calls:content",
    "feedback:read",
    "feedback:write",
    "usage:read",
    "audit:read",
    "metrics:read",
    "tenants:read",
    "*"
  ],
  "eventKinds": [
    "function.created",
    "function.updated",
    "function.deleted",
    "function.settings.updated",
    "experiment.ended",
    "execution.completed",
    "execution.failed",
    "dead_letter.created",
    "schedule.paused",
    "generation.completed",
    "chat.completed",
    "embedding.completed",
    "function_call.completed",
    "gateway.failed",
    "model.fallback",
    "feedback.created",
    "feedback.deleted",
    "key.created",
    "key.revoked",
    "webhook.disabled",
    "webhook.test",
    "*"
  ],
  "auditActions": [
    "function.created",
    "function.updated",
    "function.deleted",
    "function.settings.updated",
    "experiment.started",
    "experiment.ended",
    "experiment.rolled_back",
    "dataset.imported",
    "dataset.deleted",
    "schedule.created",
    "schedule.updated",
    "schedule.paused",
    "schedule.deleted",
    "functions.imported",
    "feedback.deleted",
    "function.evidence.applied",
    "key.created",
    "key.rotated",
    "key.revoked",
    "session.started",
    "session.ended",
    "webhook.created",
    "webhook.updated",
    "webhook.rotated",
    "webhook.deleted",
    "webhook.disabled",
    "webhook.replayed"
  ]
} as const;
