/** Members of every event. */
interface EventBase<Type extends string, Data> {
  /** Stable across deliveries of the event: use it to detect duplicates. */
  readonly id: string;
  readonly type: Type;
  /** When it happened: ISO 8601, UTC, with milliseconds. */
  readonly timestamp: string;
  /** Ids, names, statuses and counts. Members may be added, and are never removed. */
  readonly data: Data;
}

interface StoredFunction {
  readonly functionId: string;
  readonly name: string;
  /** Its current version. */
  readonly version: number;
}

interface EndedExecution {
  readonly executionId: string;
  readonly functionId: string;
  readonly functionVersion: number;
  readonly status: 'completed' | 'failed' | 'timed_out' | 'cancelled' | 'interrupted';
  /** Null if it did not finish. */
  readonly durationMs: number | null;
  /** Reason of the failure. */
  readonly errorCode: string | null;
  /** The schedule that it belongs to. */
  readonly scheduleId: string | null;
}

interface GatewayRequest {
  readonly requestId: string;
  /** The caller: the id of an API key, or issuer and subject of a token. */
  readonly callerId: string;
  /** The execution whose code sent the request. Null for requests from outside. */
  readonly executionId: string | null;
}

interface Answered extends GatewayRequest {
  /** The model that responded. */
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

/** The models that failed, in order. */
type Attempts = readonly { readonly model: string; readonly code: string }[];

interface EventData {
  'function.created': StoredFunction;
  'function.updated': StoredFunction;
  'function.deleted': { readonly functionId: string };
  'function.settings.updated': {
    readonly functionId: string;
    /** Whether the settings were deleted. */
    readonly deleted: boolean;
    /** The version that the label points to. */
    readonly version: number | null;
    readonly label: string | null;
  };
  'experiment.ended': {
    readonly experimentId: string;
    readonly functionId: string;
    readonly label: string;
    /** `won`, `stopped` or `superseded`. */
    readonly status: string;
    /** The version that won. Null without a winner. */
    readonly winner: number | null;
  };
  'execution.completed': EndedExecution;
  'execution.failed': EndedExecution;
  /** An asynchronous execution did not complete in its last run. */
  'dead_letter.created': {
    readonly executionId: string;
    readonly functionId: string;
    readonly status: 'failed' | 'timed_out' | 'interrupted';
    readonly errorCode: string | null;
    /** Number of runs. 0 if it could not be run. */
    readonly attempts: number;
    readonly scheduleId: string | null;
    /** ISO 8601, UTC: the time that its schedule names. */
    readonly scheduledFor: string | null;
  };
  'schedule.paused': {
    readonly scheduleId: string;
    readonly functionId: string;
    readonly name: string;
    /** `key_revoked`. */
    readonly reason: string;
  };
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
  'feedback.created': {
    readonly feedbackId: string;
    /** The id that the feedback is about. */
    readonly target: string;
    readonly metric: string;
    /** 1 for true, 0 for false. Null if it is a string. */
    readonly value: number | null;
    readonly functionId: string | null;
    readonly model: string | null;
    readonly callerId: string;
  };
  'feedback.deleted': { readonly feedbackId: string; readonly target: string; readonly metric: string };
  'key.created': {
    readonly keyId: string;
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expiresAt: string | null;
  };
  'key.revoked': { readonly keyId: string };
  'webhook.disabled': {
    readonly webhookId: string;
    /** `gone`: it responded with 410. `failing`: every attempt failed for five days. */
    readonly reason: 'gone' | 'failing';
  };
  'webhook.test': { readonly webhookId: string };
}

/** All event types, such as `execution.failed`. Later server versions may add more. */
export type WebhookEventType = keyof EventData;

/** The events of one kind. */
export type WebhookEventOf<Type extends WebhookEventType> = EventBase<Type, EventData[Type]>;

/** An event of any type: `type` determines the members of `data`. Ignore unknown types. */
export type WebhookEvent = { readonly [Type in WebhookEventType]: WebhookEventOf<Type> }[WebhookEventType];
