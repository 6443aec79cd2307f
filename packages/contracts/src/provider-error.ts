import { PatchbayError, type UpstreamFault, type UpstreamFaultKind, upstreamFaultCodes } from './errors.ts';

/** Upper bound of the Retry-After passed on to callers. */
const MAX_RETRY_AFTER_SECONDS = 60;

export interface ProviderErrorOptions extends Omit<UpstreamFault, 'kind'> {
  /** Value of the upstream's `Retry-After`: seconds or an HTTP date. Other values are ignored. */
  readonly retryAfter?: string | null | undefined;
  /** The member of the request that cannot be sent as it is, such as `topP`: the error points to it. */
  readonly parameter?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The failure of a model provider.
 *
 * @param message One sentence of our own, such as `openai answered 429`. An upstream's text may contain our key or another
 *   customer's data, so pass it as `cause`, which is logged and never sent.
 *
 * @example
 * ```ts
 * import { providerError } from '@patchbay/core/provider';
 *
 * throw providerError('rate_limited', 'acme answered 429', { status: 429, retryAfter: '2' });
 * ```
 */
export function providerError(
  kind: UpstreamFaultKind,
  message: string,
  options: ProviderErrorOptions = {},
): PatchbayError {
  const { status, requestId, unsent, refusal, retryAfter, parameter, cause } = options;
  const code = upstreamFaultCodes[kind];
  const seconds = retryAfterSeconds(retryAfter) ?? (code === 'provider_rate_limited' ? 1 : undefined);
  return new PatchbayError(code, message, {
    cause,
    ...(parameter !== undefined && {
      errors: [{ pointer: `/${parameter}`, code, detail: 'is not supported like this' }],
    }),
    ...(seconds === undefined ? {} : { retryAfter: seconds }),
    upstream: {
      kind,
      ...(status === undefined ? {} : { status }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(unsent === undefined ? {} : { unsent }),
      ...(refusal === undefined ? {} : { refusal }),
    },
  });
}

/**
 * The kind of fault that an HTTP status indicates, unless the body is more specific.
 *
 * @example
 * ```ts
 * import { faultOfStatus } from '@patchbay/core/provider';
 *
 * console.log(faultOfStatus(429), faultOfStatus(503)); // rate_limited failed
 * ```
 */
export function faultOfStatus(status: number): UpstreamFaultKind {
  if (status === 401 || status === 402 || status === 403) return 'auth';
  if (status === 404) return 'model_gone';
  if (status === 408 || status === 409 || status === 425) return 'busy';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'failed';
  if (status >= 400) return 'rejected';
  return status >= 300 ? 'redirect' : 'bad_response';
}

function retryAfterSeconds(value: string | null | undefined): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return seconds >= 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined;
}
