import { PatchbayError, type UpstreamFaultKind } from '@patchbay/contracts/errors';
import { providerError } from '@patchbay/contracts/provider-error';

/** The next steps after a failure of one model. */
export interface FaultPolicy {
  /** Another model may succeed. Not if the caller's request is invalid. */
  readonly failover: boolean;
  /** The same model may succeed a moment later. Never after a timeout, which has used up its time, or without a connection. */
  readonly retry: boolean;
  /** The effect on the circuit breaker. */
  readonly breaker: 'failed' | 'trip' | 'trip-provider' | 'cool-down' | 'released';
}

const another: FaultPolicy = { failover: true, retry: false, breaker: 'failed' };
/** The model is healthy, but cannot serve the request. */
const beyondIt: FaultPolicy = { failover: true, retry: false, breaker: 'released' };
const callersFault: FaultPolicy = { failover: false, retry: false, breaker: 'released' };

const policies: Readonly<Record<UpstreamFaultKind, FaultPolicy>> = {
  unreachable: { ...another, retry: true },
  timeout: another,
  redirect: another,
  bad_response: another,
  rejected: beyondIt,
  auth: { ...another, breaker: 'trip-provider' },
  model_gone: { ...another, breaker: 'trip' },
  busy: { ...another, retry: true },
  failed: { ...another, retry: true },
  rate_limited: { failover: true, retry: true, breaker: 'cool-down' },
  context_length: beyondIt,
  unsupported: beyondIt,
  content_filter: callersFault,
};

export function faultPolicy(error: PatchbayError): FaultPolicy {
  if (error.upstream) {
    const policy = policies[error.upstream.kind];
    return error.upstream.unsent ? { ...policy, retry: false } : policy;
  }
  // The model responded, but its output does not match.
  if (error.code === 'function_call_invalid' || error.code === 'function_output_invalid') return beyondIt;
  // Another model may have a known price.
  if (error.code === 'model_unpriced') return beyondIt;
  return error.status >= 500 ? another : callersFault;
}

/** Any error of a provider as a provider failure: its bugs are not internal errors. */
export function asProviderFailure(error: unknown, provider: string): PatchbayError {
  if (PatchbayError.is(error)) return error;
  return providerError('failed', `the provider ${provider} failed`, { cause: error });
}
