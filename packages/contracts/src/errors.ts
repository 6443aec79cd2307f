import { type ErrorCode, errorCodes } from './error-codes.ts';
import type { ForwardedRefusal } from './forward.ts';
import type { JsonValue } from './json.ts';

const brand = Symbol.for('patchbay.error');

/** One error within a request, with its location. */
export interface ErrorDetail {
  /** JSON Pointer (RFC 6901) into the body, such as `/input/properties/text`; for a query parameter, `?limit`. */
  readonly pointer: string;
  /** Stable name of the fault, such as `required` or `unknown_field`. */
  readonly code: string;
  /** One sentence for a person. */
  readonly detail: string;
  /** Position within a source text, counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

export interface PatchbayErrorOptions {
  readonly cause?: unknown;
  readonly errors?: readonly ErrorDetail[];
  /** Seconds after which a retry makes sense; becomes `Retry-After`. */
  readonly retryAfter?: number;
  /** Further members of the problem document, such as the failed `execution`. */
  readonly extensions?: Readonly<Record<string, JsonValue>>;
  /** The fault of an upstream, for the gateway's decisions and the log. Callers see its `refusal` at most. */
  readonly upstream?: UpstreamFault;
}

/** A fault of a model provider. */
export interface UpstreamFault {
  readonly kind: UpstreamFaultKind;
  /** HTTP status of the upstream, if it responded. */
  readonly status?: number;
  /** The upstream's own id of the request. */
  readonly requestId?: string;
  /** The request was never sent, so the upstream cannot have started or billed anything. */
  readonly unsent?: boolean;
  /** The words of the upstream, for a caller whose request was forwarded to it. */
  readonly refusal?: ForwardedRefusal;
}

/**
 * The kinds of faults at model providers, each with its error code.
 *
 * - `unreachable`: no connection, no address, no valid certificate, or closed before the response began
 * - `timeout`: a deadline passed
 * - `redirect`: to another URL, which must not receive key or prompt
 * - `rejected`: rejected the request
 * - `auth`: rejected the key of this server
 * - `model_gone`: does not have the model
 * - `busy`: 408, 409, 425
 * - `rate_limited`: 429
 * - `failed`: 5xx
 * - `bad_response`: the response does not match the vendor's API
 * - `context_length`, `content_filter`, `unsupported`: the caller's request cannot be served unchanged
 */
export const upstreamFaultCodes = {
  unreachable: 'provider_error',
  timeout: 'provider_timeout',
  redirect: 'provider_error',
  rejected: 'provider_error',
  auth: 'provider_auth_failed',
  model_gone: 'provider_error',
  busy: 'provider_error',
  rate_limited: 'provider_rate_limited',
  failed: 'provider_error',
  bad_response: 'provider_bad_response',
  context_length: 'context_length_exceeded',
  content_filter: 'content_filtered',
  unsupported: 'unsupported_parameter',
} as const satisfies Readonly<Record<string, ErrorCode>>;

export type UpstreamFaultKind = keyof typeof upstreamFaultCodes;

/**
 * The one error class. Anything else that a plugin throws reaches callers as `internal_error`, with its cause logged
 * and never sent: the message of a `PatchbayError` is public, so it contains no secret, no path
 * and no text of an upstream.
 *
 * @example
 * ```ts
 * import { PatchbayError } from '@patchbay/core/plugin';
 *
 * try {
 *   throw new PatchbayError('provider_rate_limited', 'acme answered 429', { retryAfter: 2 });
 * } catch (error) {
 *   if (PatchbayError.is(error)) console.log(error.code, error.status, error.retryable);
 * }
 * ```
 */
export class PatchbayError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly ErrorDetail[];
  readonly retryAfter: number | undefined;
  readonly extensions: Readonly<Record<string, JsonValue>>;
  readonly upstream: UpstreamFault | undefined;

  constructor(code: ErrorCode, message: string, options: PatchbayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PatchbayError';
    this.code = code;
    this.errors = options.errors ?? [];
    this.retryAfter = options.retryAfter;
    this.extensions = options.extensions ?? {};
    this.upstream = options.upstream;
    Object.defineProperty(this, brand, { value: true });
  }

  get status(): number {
    return errorCodes[this.code].status;
  }

  /** Whether the same request may succeed later: not if a provider has understood and refused it. */
  get retryable(): boolean {
    return errorCodes[this.code].retryable && this.upstream?.kind !== 'rejected';
  }

  /** Works for errors of another installed copy of this package, where `instanceof` does not. */
  static is(value: unknown): value is PatchbayError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}
