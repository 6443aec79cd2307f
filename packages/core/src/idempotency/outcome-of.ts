import type { ErrorCode } from '../contracts/error-codes.ts';
import type { PatchbayError } from '../contracts/errors.ts';

/**
 * What a failure means for the key of the request:
 *
 * - `answered`: it was run, and this is its answer, now and later
 * - `released`: nothing was done that a second run could do twice, so the key is free for the next try
 * - `lost`: it may have been run in part, and nobody knows
 */
export type RequestOutcome = 'answered' | 'released' | 'lost';

const lost: ReadonlySet<ErrorCode> = new Set(['client_closed_request', 'shutting_down', 'storage_unavailable']);

// A model call that failed has changed nothing here: whoever asks again wants another try, not the old failure.
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
  // There is an execution, which others have closed while this server was held for dead: its code was run.
  if (code === 'executor_unavailable' && 'execution' in extensions) return 'lost';
  return released.has(code) || refusals.has(status) ? 'released' : 'answered';
}
