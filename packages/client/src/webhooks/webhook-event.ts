/** Members of every event. */
interface EventBase<Type extends string, Data> {
  /** The same however often the event is delivered: what was seen before is not done again. */
  readonly id: string;
  readonly type: Type;
  /** When it happened: ISO 8601, UTC, with milliseconds. */
  readonly timestamp: string;
  /** Ids, names, statuses and counts. Members are added in time, and never taken away. */
  readonly data: Data;
}

interface StoredFunction {
  readonly functionId: string;
  readonly name: string;
  /** The version that it has now. */
  readonly version: number;
}

interface EndedExecution {
  readonly executionId: string;
  readonly functionId: string;
  readonly functionVersion: number;
  readonly status: 'completed' | 'failed' | 'timed_out' | 'cancelled' | 'interrupted';
  /** Null where it never ran to an end. */
  readonly durationMs: number | null;
  /** Why it did not complete. */
  readonly errorCode: string | null;
}

interface GatewayRequest {
  readonly requestId: string;
  /** Who asked: the id of an API key, or issuer and subject of a token. */
  readonly callerId: string;
  /** The execution whose code asked. Null: a caller outside did. */
  readonly executionId: string | null;
}

interface Answered extends GatewayRequest {
  /** The model that answered. */
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

/** The models that were asked without success, in order. */
type Attempts = readonly { readonly model: string; readonly code: string }[];

interface EventData {
  'function.created': StoredFunction;
  'function.updated': StoredFunction;
  'function.deleted': { readonly functionId: string };
  'function.settings.updated': {
    readonly functionId: string;
    /** Whether the function has no settings any more. */
    readonly deleted: boolean;
    /** The version that has the label now. */
    readonly version: number | null;
    readonly label: string | null;
  };
  'execution.completed': EndedExecution;
  'execution.failed': EndedExecution;
  'generation.completed': Answered & { readonly generationId: string };
  'chat.completed': Answered & { readonly chatId: string };
  'embedding.completed': GatewayRequest & {
    readonly embeddingId: string;
    readonly model: string;
    readonly tokens: number;
  };
  'function_call.completed': Answered & { readonly functionCallId: string };
  'gateway.failed': GatewayRequest & {
    readonly operation: 'generate' | 'chat' | 'embed' | 'generateFunctionCall' | 'generateObject';
    /** Error code in the response to the caller. */
    readonly errorCode: string;
    readonly attempts: Attempts;
  };
  'model.fallback': GatewayRequest & { readonly model: string; readonly attempts: Attempts };
  'key.created': {
    readonly keyId: string;
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expiresAt: string | null;
  };
  'key.revoked': { readonly keyId: string };
  'webhook.disabled': {
    readonly webhookId: string;
    /** `gone`: it answered 410. `failing`: every attempt failed for five days. */
    readonly reason: 'gone' | 'failing';
  };
  'webhook.test': { readonly webhookId: string };
}

/** Every kind of event, such as `execution.failed`. Servers of later versions have more. */
export type WebhookEventType = keyof EventData;

/** The events of one kind. */
export type WebhookEventOf<Type extends WebhookEventType> = EventBase<Type, EventData[Type]>;

/** An event of any kind: `type` tells which, and with it what is in `data`. Leave those alone that you do not know. */
export type WebhookEvent = { readonly [Type in WebhookEventType]: WebhookEventOf<Type> }[WebhookEventType];
