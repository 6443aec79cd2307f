import type { ContentLevel } from './content.ts';
import type { JsonObject } from './json.ts';
import type { OwnLimits } from './limits.ts';
import type { GrantedScope } from './scopes.ts';
import type { TenantId } from './tenant.ts';

/** The authenticated caller of a request. */
export interface Principal {
  /**
   * The id of the key, or issuer and subject of the token. Stable across requests and unique among all callers of the
   * tenant, of any kind: limits, budgets, usage and idempotency keys are counted by it.
   */
  readonly id: string;
  readonly kind: 'api-key' | 'user' | 'service';
  readonly tenant: TenantId;
  /** Permissions, such as `functions:read`. `*` is every scope but those of `operatorScopes`. */
  readonly scopes: readonly GrantedScope[];
  /**
   * Expiry of the credential in epoch milliseconds, `null` if it never expires. Absent: unknown. API keys created with the
   * credential expire no later; if the expiry is unknown, only callers with the scope `keys:permanent` can create keys.
   */
  readonly expiresAt?: number | null;
  /** Ids of the functions that the credential reaches. No others exist for it. Absent: all of the tenant. */
  readonly functions?: readonly string[];
  /** Limits of this particular credential; those of its tenant are in the tenant's policy. */
  readonly limits?: OwnLimits;
}

/** Structured logging. The host binds request id, caller and plugin name, and redacts secrets. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/**
 * The request that a plugin is serving: always the last argument of a call.
 * It is passed on, never stored, and never looked up from a global.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly caller: Principal;
  /** Address of the client, where the transport knows it. */
  readonly remoteAddress?: string;
  /** Aborts when the client disconnects, the deadline passes or the server shuts down. Reaches the last socket and process. */
  readonly signal: AbortSignal;
  /** Deadline of the request, in epoch milliseconds. */
  readonly deadline?: number;
  /** W3C Trace Context of the caller, where it sent one. */
  readonly trace?: { readonly traceparent: string; readonly tracestate?: string };
  readonly logger: Logger;
  /** The model that the caller chose for the function. Default: that of the function's settings. */
  readonly model?: string;
  /** The settings label that the caller chose for the function. Default: that of the config. */
  readonly settingsLabel?: string;
  /**
   * Use of cached responses, if settings enable caching: `reload` calls a model and caches its response,
   * `no-store` calls a model and caches nothing. Default: a cached response is used.
   */
  readonly cache?: 'default' | 'reload' | 'no-store';
  /** Whom or what a call is about. Experiments tell calls apart by it. */
  readonly subject?: string;
  /**
   * The call is a trial: it is kept out of caches, experiments and what routers learn, and no model is tried at random.
   */
  readonly trial?: Trial | undefined;
  /** The most that may be stored of the content of its calls. Default: as much as the config allows. */
  readonly content?: ContentLevel | undefined;
  /** The call that a model is about to answer. Absent if it answers the request itself. */
  readonly call?: AnsweredCall | undefined;
  /** The execution that sends the request. Absent for requests from outside. */
  readonly execution?: CallingExecution;
}

/** The choices of a trial of a function. Default: those of its settings. */
export interface Trial {
  /** `<provider>/<model_name>`, or `auto`. */
  readonly model?: string;
  /** Version of the settings of the function. */
  readonly settingsVersion?: number;
  /** The most that may be stored of the content of its calls. */
  readonly content?: ContentLevel;
}

/** A call by name, or an execution, as it is recorded. */
export interface AnsweredCall {
  readonly id: string;
  /** The name that was called. */
  readonly name: string;
  /** Absent if the function is not stored. */
  readonly functionId?: string;
  /** Version of its settings, if they are stored. */
  readonly settingsVersion?: number | null;
  /** Milliseconds for which it was queued. Absent if it was not. */
  readonly queuedMs?: number;
  /** The input that the model request was made from. */
  readonly input?: JsonObject;
}

/** An execution whose code made a request to its host. */
export interface CallingExecution {
  readonly id: string;
  /** The function whose code it is. */
  readonly functionId: string;
  /** 1 for an execution that was requested from outside, one more for each level of calls between functions. At most 8. */
  readonly depth: number;
}

/** A request context with the methods of its transport. Plugins see the `RequestContext` only. */
export interface OpenRequestContext extends RequestContext {
  /** Abort, because the client disconnected. Default reason: `client_closed_request`. */
  abort(reason?: unknown): void;
  /** Release timers and listeners after the response was sent; `App.host.stop` waits for it. Call it in a `finally`. */
  close(): void;
}
