import type { TopLevel } from '@patchbay/compat/top-level';
import type { App, ErrorCode, Scope } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import type { ApiFormat } from './output/api-format.ts';
import type { Reply } from './output/wire.ts';
import type { Reference } from './reference/reference.ts';
import type { PathParameters, QueryOf, QueryParameters } from './routing.ts';
import type { SchemaName } from './schemas/components.ts';
import type { JsonDocument, OperationClass } from './service-types.ts';

/** Groups of endpoints with a common path prefix. `system`: health, OpenAPI document, reference page. */
export type Area = 'functions' | 'gateway' | 'system';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

declare const carries: unique symbol;

/** The rules for a body. `B` is the type of a validated body; see `bodyOf`. */
export interface BodyRule<B> {
  readonly schema: SchemaName;
  readonly limitBytes: number;
  /** Read-only fields: accepted in the body, without effect, so that a response can be sent back. */
  readonly ignored?: readonly string[];
  /** The member with a list whose elements can come as JSON Lines, each element on a line. */
  readonly lines?: string;
  /** A body with this member may be larger. */
  readonly larger?: { readonly member: readonly string[]; readonly limitBytes: number };
  /** A missing body counts as `{}`. */
  readonly optional?: boolean;
  /** The handler gets a `RawBody`, and checks it itself: the schema is documentation. */
  readonly raw?: boolean;
  readonly [carries]?: B;
}

/** A JSON object as it was sent, none of whose members occurs twice, and its value. */
export interface RawBody {
  readonly topLevel: TopLevel;
  readonly json: JsonDocument['value'];
}

/**
 * Declare the type of bodies that passed the schema.
 *
 * @example
 * ```ts
 * import { bodyOf } from '@patchbay/http';
 *
 * // For `body` of `defineOperation`, whose handler then gets a `prompt`.
 * export const body = bodyOf<{ readonly prompt: string }>({ schema: 'GenerateRequest', limitBytes: 10_000 });
 * ```
 */
export function bodyOf<B>(rule: BodyRule<B>): BodyRule<B> {
  return rule;
}

/** The rules for a body that the handler gets as it was sent. */
export function rawBodyOf(rule: Omit<BodyRule<RawBody>, 'raw' | 'ignored' | 'optional'>): BodyRule<RawBody> {
  return { ...rule, raw: true };
}

export interface Success {
  readonly status: number;
  readonly description: string;
  /** Absent: the response is not JSON. */
  readonly schema?: SchemaName;
  readonly mediaType?: string;
  readonly headers?: readonly SuccessHeader[];
  /** The response can be JSON Lines as well: the schema of each line. */
  readonly lines?: SchemaName;
  /** The events of a streamed response. Absent: it never streams. */
  readonly streams?: string;
  /** Other statuses with the same shape, and what each means. */
  readonly otherwise?: Readonly<Record<number, string>>;
}

type SuccessHeader =
  | 'ETag'
  | 'Location'
  | 'Patchbay-Call'
  | 'Patchbay-Route'
  | 'Patchbay-Warning'
  | 'Preference-Applied';

interface OperationBase {
  /** Stable name, also the `operationId` of the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** `:id` is one segment; `*id`, at the end, is the rest of the path with its slashes. */
  readonly path: string;
  readonly area: Area;
  readonly summary: string;
  readonly description?: string;
  readonly success: Success;
}

/** An endpoint that requires credentials. Transport-neutral: it sees no socket and no framework. */
export interface ProtectedOperation<
  Q extends QueryParameters = QueryParameters,
  B = unknown,
  P extends PathParameters = PathParameters,
> extends OperationBase {
  /** The required scope. `authenticated`: none, for operations on the caller's own requests. */
  readonly scope: Scope | 'authenticated';
  /** Further required scopes. */
  readonly alsoNeeds?: readonly Scope[];
  /** The limit that applies on top of the limit on all requests. */
  readonly limit?: OperationClass;
  /** One entry for each parameter of the path. */
  readonly params?: P;
  /** Absent: every query parameter is rejected. */
  readonly query?: Q;
  readonly body?: BodyRule<B>;
  /** Supported conditional headers. */
  readonly preconditions?: readonly ('If-Match' | 'If-None-Match')[];
  /** Other supported request headers, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Error codes in addition to those of every endpoint. */
  readonly errors: readonly ErrorCode[];
  /** The formats of failures, even before the handler: the first one, unless a request has the mark of another. */
  readonly formats?: readonly [ApiFormat, ...ApiFormat[]];
  /** The response to a request without credentials, or with those of a session that has ended. Default: 401. */
  readonly anonymous?: Reply;
  /** Refuses requests from web pages, even with a token, unless their origin is trusted or has cross-origin access. */
  readonly refusesPages?: boolean;
  handle(request: OperationRequest<Q, B, P>, app: App): Promise<Reply>;
  /**
   * Whether the request only calls a model. With an `Idempotency-Key`, such a request ends 5 s after its
   * connection is lost, and its key is free again; others continue to their end. Default: no.
   */
  isModelCall?(request: OperationRequest<Q, B, P>, app: App): Promise<boolean>;
  /** Whether the request executes a function, and counts as an execution as well as by `limit`. Default: no. */
  isExecution?(request: OperationRequest<Q, B, P>, app: App): boolean;
}

/** The request as an endpoint without credentials gets it: no caller, no query and no body. */
export interface PublicRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly header: ReadHeader;
  readonly reference: Reference;
  /** The path prefix of each area, as clients have to send it. */
  readonly prefixes: Readonly<Record<Area, string>>;
}

/** An endpoint without credentials. It does not know the caller, so it cannot reveal data. */
export interface PublicOperation extends OperationBase {
  readonly scope: 'public';
  /** One entry for each parameter of the path. */
  readonly params?: PathParameters;
  handle(app: App, request: PublicRequest): Promise<Reply>;
}

/** One row of the table of endpoints. */
export type Operation = ProtectedOperation | PublicOperation;

/** Reads a header of a request by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined;

/** An authenticated, authorized and validated request. */
export interface OperationRequest<
  Q extends QueryParameters = QueryParameters,
  B = unknown,
  P extends PathParameters = PathParameters,
> {
  readonly params: { readonly [N in keyof P]: string };
  /** With defaults filled in. */
  readonly query: QueryOf<Q>;
  readonly body: B;
  /** A header by its lower-case name. */
  readonly header: ReadHeader;
  readonly context: RequestContext;
}

/**
 * Declare an operation; the types of `params`, `query` and `body` are inferred from it.
 *
 * @example
 * ```ts
 * import { defineOperation } from '@patchbay/http';
 *
 * export const whoAmI = defineOperation({
 *   id: 'whoAmI',
 *   method: 'GET',
 *   path: '/me',
 *   area: 'functions',
 *   scope: 'functions:read',
 *   summary: 'Tell who is calling',
 *   success: { status: 200, description: 'The id of the caller.' },
 *   errors: [],
 *   handle: async ({ context }) => ({ json: { id: context.caller.id } }),
 * });
 * ```
 */
export function defineOperation<
  const Id extends string,
  const Q extends QueryParameters = QueryParameters,
  B = undefined,
  const P extends PathParameters = PathParameters,
>(operation: ProtectedOperation<Q, B, P> & { readonly id: Id }): ProtectedOperation & { readonly id: Id } {
  return operation as unknown as ProtectedOperation & { readonly id: Id };
}

/**
 * Declare an endpoint without credentials.
 *
 * @example
 * ```ts
 * import { definePublicOperation } from '@patchbay/http';
 *
 * export const about = definePublicOperation({
 *   id: 'about',
 *   method: 'GET',
 *   path: '/about',
 *   area: 'system',
 *   scope: 'public',
 *   summary: 'Tell whose server this is',
 *   success: { status: 200, description: 'A name.' },
 *   handle: async () => ({ json: { name: 'Acme' } }),
 * });
 * ```
 */
export function definePublicOperation<const Id extends string>(
  operation: PublicOperation & { readonly id: Id },
): PublicOperation & { readonly id: Id } {
  return operation;
}
