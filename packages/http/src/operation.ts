import type { App, ErrorCode, Scope } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import type { QueryOf, QueryParameters } from './input/query.ts';
import type { Reply } from './output/wire.ts';
import type { Reference } from './reference/docs-page.ts';
import type { PathParameters } from './routing.ts';
import type { SchemaName } from './schemas/components.ts';
import type { OperationClass } from './service-types.ts';

/** Groups of endpoints that a config moves as one. `system`: health, OpenAPI document, reference page. */
export type Area = 'functions' | 'gateway' | 'system';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

declare const carries: unique symbol;

/** The rules for a body. `B` is the type that a checked body has; see `bodyOf`. */
export interface BodyRule<B> {
  readonly schema: SchemaName;
  readonly limitBytes: number;
  /** Fields that the service owns: accepted in the body, without effect, so that an answer can be sent back. */
  readonly ignored?: readonly string[];
  /** No body at all stands for `{}`. */
  readonly optional?: boolean;
  readonly [carries]?: B;
}

/**
 * Name the type that bodies have once they passed the schema.
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

export interface Success {
  readonly status: number;
  readonly description: string;
  /** Absent: the answer is not JSON. */
  readonly schema?: SchemaName;
  readonly mediaType?: string;
  readonly headers?: readonly ('ETag' | 'Location' | 'Patchbay-Route' | 'Preference-Applied')[];
  /** Which events the response has when the request asks for a stream. Absent: it never streams. */
  readonly streams?: string;
  /** Other statuses with the same shape, and what each means. */
  readonly otherwise?: Readonly<Record<number, string>>;
}

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

/** An endpoint that asks for credentials. Transport-neutral: it sees no socket and no framework. */
export interface ProtectedOperation<
  Q extends QueryParameters = QueryParameters,
  B = unknown,
  P extends PathParameters = PathParameters,
> extends OperationBase {
  /** The scope that a caller needs. `authenticated`: none, for what concerns the caller's own requests only. */
  readonly scope: Scope | 'authenticated';
  /** Further scopes, all of which a caller needs as well. */
  readonly alsoNeeds?: readonly Scope[];
  /** The limit that applies on top of the limit on all requests. */
  readonly limit?: OperationClass;
  /** One entry for each parameter of the path. */
  readonly params?: P;
  /** Absent: every query parameter is refused. */
  readonly query?: Q;
  readonly body?: BodyRule<B>;
  /** Conditional headers that have a meaning here. */
  readonly preconditions?: readonly ('If-Match' | 'If-None-Match')[];
  /** Other headers of the request that have a meaning here, and which. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Codes that it can answer with beside those of every endpoint. */
  readonly errors: readonly ErrorCode[];
  handle(request: OperationRequest<Q, B, P>, app: App): Promise<Reply>;
  /**
   * Whether the request does nothing but call a model. With an `Idempotency-Key`, such a request ends 5 s after its
   * connection is lost, and its key is free again; any other goes on to its end. Default: no.
   */
  isModelCall?(request: OperationRequest<Q, B, P>, app: App): Promise<boolean>;
}

/** An endpoint without credentials. It does not receive the request, so it cannot reveal data. */
export interface PublicOperation extends OperationBase {
  readonly scope: 'public';
  handle(app: App, reference: Reference): Promise<Reply>;
}

/** One row of the table of endpoints. */
export type Operation = ProtectedOperation | PublicOperation;

/** A request that was authenticated, authorized and checked against everything its row says. */
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
  readonly header: (name: string) => string | undefined;
  readonly context: RequestContext;
}

/**
 * Write a row; the types of `params`, `query` and `body` follow from what it declares.
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

/** Write the row of an endpoint that asks for no credentials. */
export function definePublicOperation<const Id extends string>(
  operation: PublicOperation & { readonly id: Id },
): PublicOperation & { readonly id: Id } {
  return operation;
}
