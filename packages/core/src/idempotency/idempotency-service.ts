import type { Principal } from '../contracts/context.ts';
import type { ErrorCode } from '../contracts/error-codes.ts';
import type { PatchbayError } from '../contracts/errors.ts';

/** A request that must not be run twice. */
export interface IdempotentRequest {
  readonly caller: Principal;
  /** Method and path: the same key on another endpoint is another key. */
  readonly endpoint: string;
  /** 1 to 255 visible ASCII characters, chosen by the caller. */
  readonly key: string;
  /** All that was asked for, as text. Only its hash is kept. */
  readonly request: string;
  /** Called where the caller cancels the request before its claim has ended. */
  readonly onCancel?: () => void;
}

/** A response that is kept, to be sent again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The right to run a request, and the duty to say what came of it. One of the three must be called, once. */
export interface IdempotencyClaim {
  /** Characters of a body. An answer with more is not kept: the request counts as `lost`. */
  readonly maxBodyLength: number;
  /** It was run: from now on this is the answer, if it is not too long to be kept. */
  answered(answer: KeptAnswer): Promise<void>;
  /** Nothing was done: the next request with the key is run. */
  release(): Promise<void>;
  /** It was run, at least in part, with an unknown outcome. */
  lost(): Promise<void>;
}

/** Makes sure that requests with a key are run once, whatever happens in between. */
export interface IdempotencyService {
  /**
   * Claim a key, or find what was answered to it. A claim is on disk before it is returned, so that not even a crash
   * leads to a second run.
   *
   * @throws PatchbayError `idempotency_in_progress`, `idempotency_key_reused`, `idempotency_answer_lost`,
   *   `storage_unavailable`.
   */
  begin(request: IdempotentRequest): Promise<{ readonly kept: KeptAnswer } | { readonly claim: IdempotencyClaim }>;
  /**
   * Cancel the requests of this caller with this key that are under way, at any endpoint. Other processes on the storage
   * are notified, where it has signals.
   *
   * @returns How many there were in this process.
   */
  cancel(caller: Principal, key: string): number;
}

/**
 * The effect of a failure on the key of the request:
 *
 * - `answered`: it was run, and this is its answer, now and later
 * - `released`: nothing was done that a second run could do twice, so the key is free for the next try
 * - `lost`: it may have been run in part; the outcome is unknown
 */
type RequestOutcome = 'answered' | 'released' | 'lost';

const lost: ReadonlySet<ErrorCode> = new Set(['client_closed_request', 'shutting_down', 'storage_unavailable']);

// A model call that failed has changed nothing here: a caller that asks again wants another try, not the old failure.
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

// The request itself is refused: not understood, not allowed, not there, not now.
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 408, 409, 412, 413, 414, 415, 429]);

/**
 * Whatever is not known to be harmless counts as run.
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
  // There is an execution, which others have closed after the lease of this server expired: its code was run.
  if (code === 'executor_unavailable' && 'execution' in extensions) return 'lost';
  return released.has(code) || refusals.has(status) ? 'released' : 'answered';
}
