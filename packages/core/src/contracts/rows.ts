import type { FunctionSettings } from './function-settings.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Schema, SchemaType } from './json-schema.ts';
import type { Budget, RateLimit } from './limits.ts';

/** What every stored row has. */
export interface Row {
  readonly id: string;
  /** 1 at birth, one more with each update. The guard against lost updates. */
  readonly revision: number;
}

/** A function as it is now. `revision` is also the number of its newest version. */
export interface FunctionRow extends Row {
  readonly name: string;
  /** The name as an identifier, by which clients may call the function: see `nameKey`. Null in rows from before it was kept. */
  readonly key: string | null;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
  readonly code: string;
  /** What the executor's `prepare` made of `code`. */
  readonly artifact: string;
  /** SHA-256, in hex, of name, description, schemas and code. */
  readonly contentHash: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What a function was at one time. Never changed; gone when its function is deleted. */
export interface FunctionVersionRow extends Row {
  readonly functionId: string;
  /** The function's revision that this row keeps. */
  readonly version: number;
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
  readonly code: string;
  readonly contentHash: string;
  readonly createdAt: string;
  /** Principal that wrote the version. */
  readonly createdBy: string;
}

/** Which model implements or serves a function, and how: the end of its versions. The id is the function's. */
export interface FunctionSettingsRow extends Row {
  readonly functionId: string;
  /** The newest version. */
  readonly latest: number;
  /** Which version each label stands for. */
  readonly labels: Readonly<Record<string, number>>;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** Settings as they were written once. Never changed; the id is the function's, a slash and the version. */
export interface SettingsVersionRow extends Row {
  readonly functionId: string;
  readonly version: number;
  readonly values: FunctionSettings;
  readonly createdAt: string;
  readonly createdBy: string;
}

export type ExecutionStatus = 'queued' | 'running' | 'completed' | 'failed' | 'timed_out' | 'cancelled' | 'interrupted';

/** One run of a function. Outlives the function. */
export interface ExecutionRow extends Row {
  readonly functionId: string;
  readonly functionVersion: number;
  readonly status: ExecutionStatus;
  /** As the caller sent it. */
  readonly input: JsonObject;
  /** With the defaults of the input schema filled in; null where that changed nothing. */
  readonly effectiveInput: JsonObject | null;
  readonly output: JsonObject | null;
  readonly error: JsonObject | null;
  readonly logs: readonly JsonValue[];
  readonly logsTruncated: boolean;
  readonly usage: JsonObject | null;
  readonly durationMs: number | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
  readonly createdBy: string;
  /** The instance that runs it. Null while it waits, and once it has ended. */
  readonly owner: string | null;
  /** How often it was started; null in rows from before this was counted. */
  readonly attempt: number | null;
  /** Of an asynchronous execution: who asked for it, and so on whose behalf it runs. Null where the caller waits. */
  readonly principal: JsonObject | null;
  /** The execution whose code asked for this one; null where somebody outside did. */
  readonly parentId: string | null;
}

/** A server process. It says so again and again; when it stops doing so, others take over what it left. */
export interface InstanceRow extends Row {
  /** What tells the process from any other on its machine; empty where that cannot be told. */
  readonly process: string;
  readonly startedAt: string;
  /** Until then it is taken for alive. */
  readonly expiresAt: string;
}

/** Work to be done later, by whoever takes it. */
export interface JobRow extends Row {
  readonly topic: string;
  readonly state: 'waiting' | 'dead';
  /** When it may be taken next. Whoever takes it puts this to the end of its lease. */
  readonly dueAt: string;
  /** How often it was taken. */
  readonly attempt: number;
  readonly dedupeKey: string | null;
  readonly createdAt: string;
  readonly payload: JsonValue;
  /** What the last attempt failed with. */
  readonly error: JsonObject | null;
}

/** An API key. The secret itself is never stored. */
export interface ApiKeyRow extends Row {
  /** The public part of the key, by which it is found. Unique over all tenants. */
  readonly lookupId: string;
  readonly name: string;
  /** HMAC-SHA-256 of the secret part, in hex, keyed with the server's pepper. */
  readonly secretHash: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** Addresses and networks (CIDR) that the key may be used from. Null: from everywhere. */
  readonly ipAddresses: readonly string[] | null;
  readonly rateLimit: RateLimit | null;
  readonly budget: Budget | null;
  /** Behind by up to a minute. */
  readonly lastUsedAt: string | null;
  readonly rotatedAt: string | null;
  /** Hash of the secret before the last rotation, which is good until `previousUntil`. */
  readonly previousHash: string | null;
  readonly previousUntil: string | null;
}

/** Who did what, when. Never changed and never deleted; each entry vouches for the one before. */
export interface AuditEntryRow extends Row {
  /** 1, 2, 3 … within the tenant, without a gap. */
  readonly sequence: number;
  /** Such as `function.updated`. */
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** Principal that did it, or `cli`. */
  readonly actorId: string;
  readonly actorKind: string;
  /** Null: not done by a request. */
  readonly requestId: string | null;
  readonly address: string | null;
  readonly createdAt: string;
  /** What changed, without secrets and without bodies. */
  readonly details: JsonObject;
  /** `hash` of the entry before; empty in the first one. */
  readonly previousHash: string;
  /** HMAC-SHA-256, in hex, of all the above. */
  readonly hash: string;
}

/** The end of a tenant's audit log. The id is the tenant. */
export interface AuditHeadRow extends Row {
  readonly sequence: number;
  readonly hash: string;
}

/** A request with an `Idempotency-Key`: what was answered to it, or that it is being worked on. */
export interface IdempotencyKeyRow extends Row {
  /** SHA-256, in hex, of what was asked for. The same key with anything else is a mistake of the caller. */
  readonly requestHash: string;
  /** `lost`: it was run, and what came of it is not known or was not kept. */
  readonly status: 'running' | 'answered' | 'lost';
  /** The process that works on it. */
  readonly owner: string;
  /** Sealed: answers can hold secrets that are shown once. Null unless it was answered. */
  readonly answer: JsonObject | null;
  readonly createdAt: string;
  /** From then on the key may be used anew. */
  readonly expiresAt: string;
}

/** What was used, in buckets that do not overlap. */
export interface UsageAmounts {
  readonly uncachedInputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** With those spent on thinking. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Milliseconds that the caller waited. */
  readonly durationMs: number;
}

/** What a call is counted by. */
export interface UsageDimensions {
  readonly kind: 'execution' | 'model';
  /** Principal that called; for what a function calls, whoever executed the function. */
  readonly keyId: string;
  /** The function that was executed, or whose code called the model. Empty where there is none. */
  readonly functionId: string;
  /** `<provider>/<model_name>`; empty for executions. */
  readonly model: string;
  /** `cached`: a model was to be called, and an answer that was kept did. */
  readonly outcome: 'completed' | 'failed' | 'timed_out' | 'cancelled' | 'interrupted' | 'cached';
}

/** One execution, or one call of a model. */
export interface UsageEntryRow extends Row, UsageDimensions, UsageAmounts {
  readonly requestId: string;
  /** In billionths of a US dollar. Null where no price is known, and for executions. */
  readonly costNanoUsd: number | null;
  /** The provider did not say how many tokens there were; they are estimates. */
  readonly estimated: boolean;
  readonly createdAt: string;
}

/** All calls of one hour that agree in what they are counted by. */
export interface UsageHourRow extends Row, UsageDimensions, UsageAmounts {
  /** When the hour begins. */
  readonly hour: string;
  readonly calls: number;
  /** Of the calls whose price is known. */
  readonly costNanoUsd: number;
  /** Calls of models whose price is not known. */
  readonly unpricedCalls: number;
}

/** A member of the inputs that a name was called with: its JSON types, and how many calls had it. Never a value. */
export interface ObservedMember {
  readonly types: readonly SchemaType[];
  readonly count: number;
}

/** A name that was called although no function has it. */
export interface ObservedNameRow extends Row {
  readonly name: string;
  readonly count: number;
  /** How many of the calls were refused, because no model may answer calls of functions that nobody stored. */
  readonly refused: number;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  /** By the name of the member; the first 50. */
  readonly input: Readonly<Record<string, ObservedMember>>;
  /** The output schema that a call declared last. Null where none did, or where it is too long to be kept. */
  readonly output: Schema | null;
}

/** An address that events are sent to. */
export interface WebhookRow extends Row {
  /** The place that it takes among those that its tenant may have. Unique over all tenants. */
  readonly slot: string;
  readonly url: string;
  /** The kinds of events that are sent; `*` is every kind. */
  readonly events: readonly string[];
  readonly description: string;
  readonly enabled: boolean;
  /** Why the server disabled it: answered 410, or failed for days. Null where it is enabled, or its owner disabled it. */
  readonly disabledReason: 'gone' | 'failing' | null;
  readonly disabledAt: string | null;
  /** Sealed. What deliveries are signed with. */
  readonly secret: string;
  /** Sealed. The secret before the last rotation, with which they are signed as well until `previousUntil`. */
  readonly previousSecret: string | null;
  readonly previousUntil: string | null;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
}

/** Something that webhooks are told of. Never changed; commits together with what it tells of. */
export interface WebhookEventRow extends Row {
  /** Such as `function.created`. */
  readonly type: string;
  readonly createdAt: string;
  readonly data: JsonObject;
  /** The only webhook that it is meant for. Null: every one that asks for its kind. */
  readonly webhookId: string | null;
}

/** One try to deliver an event. */
export interface WebhookAttempt {
  readonly at: string;
  /** Status of the answer. Null where there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why it failed; null where it did not. */
  readonly failure: string | null;
  /** The beginning of the answer, as text. */
  readonly response: string;
}

/** An event on its way to one webhook. */
export interface WebhookDeliveryRow extends Row {
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly state: 'waiting' | 'delivered' | 'failed';
  /** The webhook's id while it waits; null once it has ended. */
  readonly lane: string | null;
  /** When it is tried next. Null once it has ended. */
  readonly dueAt: string | null;
  /** How often it was tried. */
  readonly attempts: number;
  /** How often it failed since it was last put on the way: its place in the schedule. */
  readonly failures: number;
  readonly createdAt: string;
  readonly completedAt: string | null;
  /** The last attempts, oldest first. */
  readonly log: readonly WebhookAttempt[];
}

/** Who works on what waits for a webhook, and how its receiver has been lately. The id is the webhook's. */
export interface WebhookLaneRow extends Row {
  /** The token of the job that sees to what waits, now. Null: nothing is due. */
  readonly run: string | null;
  /** Until then that job is taken for alive. */
  readonly heldUntil: string | null;
  /** The token of the job that comes when the next delivery is due. */
  readonly alarm: string | null;
  readonly alarmAt: string | null;
  /** When something was put on the way last. */
  readonly wokenAt: string;
  /** Every attempt since then has failed. Null: the last one did not. */
  readonly failingSince: string | null;
  /** Answers in a row that asked for fewer requests. */
  readonly throttles: number;
  /** Nothing is sent until then. */
  readonly pausedUntil: string | null;
}

/** The name of each collection and what its rows hold. */
export interface Rows {
  readonly functions: FunctionRow;
  readonly functionVersions: FunctionVersionRow;
  readonly functionSettings: FunctionSettingsRow;
  readonly settingsVersions: SettingsVersionRow;
  readonly executions: ExecutionRow;
  readonly apiKeys: ApiKeyRow;
  readonly auditEntries: AuditEntryRow;
  readonly auditHeads: AuditHeadRow;
  readonly jobs: JobRow;
  readonly instances: InstanceRow;
  readonly idempotencyKeys: IdempotencyKeyRow;
  readonly usageEntries: UsageEntryRow;
  readonly usageHours: UsageHourRow;
  readonly observedNames: ObservedNameRow;
  readonly webhooks: WebhookRow;
  readonly webhookEvents: WebhookEventRow;
  readonly webhookDeliveries: WebhookDeliveryRow;
  readonly webhookLanes: WebhookLaneRow;
}

export type Collection = keyof Rows;
