/** What an operation can answer that asks models, also those that execute a function, which may be one without code. */
export const modelErrors = [
  'model_not_found',
  'model_capability_mismatch',
  'unsupported_parameter',
  'context_length_exceeded',
  'content_filtered',
  'provider_error',
  'provider_bad_response',
  'provider_auth_failed',
  'provider_rate_limited',
  'no_provider_available',
  'provider_not_configured',
  'provider_timeout',
  'quota_exceeded',
] as const;
