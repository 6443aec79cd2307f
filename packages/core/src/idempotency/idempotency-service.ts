import type { Principal } from '@patchbay/contracts/context';
import type { ErrorCode } from '@patchbay/contracts/error-codes';
import type { PatchbayError } from '@patchbay/contracts/errors';

/** A request that must run only once. */
export interface IdempotentRequest {
  readonly caller: Principal;
  /** Method and path: the same key on another endpoint is another key. */
  readonly endpoint: string;
  /** 1 to 255 visible ASCII characters, chosen by the caller. */
  readonly key: string;
  /** The content of the request as text. Only its hash is stored. */
  readonly request: string;
  /** Called if the caller cancels the request before its claim has ended. */
  readonly onCancel?: () => void;
}

/** A stored response for replay. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The right to run a request, and the duty to report its outcome. One of the three must be called, once. */
export interface IdempotencyClaim {
  /** Maximum characters of a body. A larger response is not stored: the request counts as `lost`. */
  readonly maxBodyLength: number;
  /** It ran: store the response for replay, if it is not too long. */
  answered(answer: KeptAnswer): Promise<void>;
  /** It did not run: the next request with the key runs. */
  release(): Promise<void>;
  /** It ran, at least in part, with an unknown outcome. */
  lost(): Promise<void>;
}

/** Ensures that requests with a key run once, even across failures. */
export interface IdempotencyService {
  /**
   * Claim a key, or return its stored response. A claim is on disk before it is returned, so that not even a crash
   * leads to a second run.
   *
   * @throws PatchbayError `idempotency_in_progress`, `idempotency_key_reused`, `idempotency_answer_lost`,
   *   `storage_unavailable`.
   */
  begin(request: IdempotentRequest): Promise<{ readonly kept: KeptAnswer } | { readonly claim: IdempotencyClaim }>;
  /**
   * Cancel the running requests of this caller with this key, at any endpoint. Other processes on the storage
   * are notified, if it supports signals.
   *
   * @returns How many there were in this process.
   */
  cancel(caller: Principal, key: string): number;
  /** Let the caller cancel a request without a claim by this key. @returns Ends it. */
  open(caller: Principal, key: string, onCancel: () => void): () => void;
}

/**
 * The effect of a failure on the key of the request:
 *
 * - `answered`: it ran, and this is its response, now and later
 * - `released`: it had no effect that a second run could repeat, so the key is free for a retry
 * - `lost`: it may have run in part; the outcome is unknown
 */
type RequestOutcome = 'answered' | 'released' | 'lost';

const lost: ReadonlySet<ErrorCode> = new Set(['client_closed_request', 'shutting_down', 'storage_unavailable']);

// A failed model call has changed nothing here: a retry should run again, not replay the failure.
const released: ReadonlySet<ErrorCode> = new Set([
  'input_invalid',
  'schema_invalid',
  'code_invalid',
  'unsupported_parameter',
  'context_length_exceeded',
  'model_capability_mismatch',
  'overloaded',
  'executor_unavailable',
  'no_provider_available',
  'provider_not_configured',
  'provider_error',
  'provider_bad_response',
  'provider_auth_failed',
  'provider_rate_limited',
  'provider_timeout',
]);

// The request itself was rejected.
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 408, 409, 412, 413, 414, 415, 429]);

/**
 * Unless it is known to be harmless, a failure counts as run.
 *
 * @example
 * ```ts
 * import { outcomeOf, PatchbayError } from '@patchbay/core';
 *
 * const error = new PatchbayError('input_invalid', 'the input does not fit');
 * console.log(outcomeOf(error)); // released
 * ```
 */
export function outcomeOf({
  code,
  status,
  extensions,
}: Pick<PatchbayError, 'code' | 'status' | 'extensions'>): RequestOutcome {
  if (lost.has(code)) return 'lost';
  // There is an execution that others closed after the lease of this server expired: its code was run.
  if (code === 'executor_unavailable' && 'execution' in extensions) return 'lost';
  return released.has(code) || refusals.has(status) ? 'released' : 'answered';
}
