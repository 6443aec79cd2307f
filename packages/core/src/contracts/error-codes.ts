interface ErrorCodeInfo {
  /** HTTP status of a response that carries the code. */
  readonly status: number;
  /** Whether the same request, sent again later, can succeed. */
  readonly retryable: boolean;
  /** The same for every occurrence of the code (RFC 9457, section 3.1.3). */
  readonly title: string;
}

const final = (status: number, title: string) => ({ status, retryable: false, title }) as const;
const transient = (status: number, title: string) => ({ status, retryable: true, title }) as const;

/**
 * Every error code of Patchbay. Codes are part of the public interface: they are added, never renamed.
 *
 * 4xx: the caller, or the caller's function, has to change something. 5xx: we or the operator have to.
 */
export const errorCodes = {
  invalid_json: final(400, 'The body is not valid JSON'),
  invalid_request: final(400, 'The request does not have the documented shape'),
  too_deep: final(400, 'The JSON document is nested too deeply or has too many values'),
  unsupported_unicode: final(400, 'The JSON document has a NUL character or a lone surrogate'),

  unauthenticated: final(401, 'Credentials are needed'),
  invalid_token: final(401, 'The credentials are not valid'),
  token_expired: final(401, 'The credentials have expired'),
  key_revoked: final(401, 'The API key was revoked'),
  insufficient_scope: final(403, 'The credentials do not allow this'),
  address_not_allowed: final(403, 'The API key may not be used from this address'),
  cross_site_request: final(403, 'The request was sent by a page of another origin'),

  function_not_found: final(404, 'There is no such function'),
  version_not_found: final(404, 'The function has no such version'),
  settings_not_found: final(404, 'The function has no such settings'),
  observed_name_not_found: final(404, 'No such name was observed'),
  model_not_found: final(404, 'There is no such model'),
  execution_not_found: final(404, 'There is no such execution'),
  webhook_not_found: final(404, 'There is no such webhook'),
  delivery_not_found: final(404, 'The webhook has no such delivery'),
  key_not_found: final(404, 'There is no such API key'),
  route_not_found: final(404, 'There is no such endpoint'),
  method_not_allowed: final(405, 'The endpoint does not have this method'),
  unsupported_media_type: final(415, 'The body must be application/json in UTF-8 without compression'),

  conflict: final(409, 'The resource is not in a state, or not any more, in which this can be done'),
  execution_cancelled: final(409, 'The execution was cancelled'),
  webhook_disabled: final(409, 'The webhook is disabled'),
  webhook_limit_reached: final(409, 'The tenant has as many webhooks as it may have'),
  key_inactive: final(409, 'The API key was revoked or has expired'),
  idempotency_in_progress: transient(409, 'A request with this Idempotency-Key is still running'),
  idempotency_answer_lost: final(409, 'A request with this Idempotency-Key was run, but its answer is not known'),
  ambiguous_function_name: final(409, 'More than one function has this name'),
  precondition_failed: final(412, 'The resource is not in the state that If-Match names'),
  request_timeout: transient(408, 'The request did not arrive in time'),
  body_too_large: final(413, 'The body is too large'),
  uri_too_long: final(414, 'The request target is too long'),
  headers_too_large: final(431, 'The request headers are too large'),

  input_invalid: final(422, 'The input does not fit the input schema of the function'),
  schema_invalid: final(422, 'The schema is not one that Patchbay accepts'),
  code_invalid: final(422, 'The code cannot be used as a function'),
  function_failed: final(422, 'The function failed'),
  function_timeout: final(422, 'The function did not finish in time'),
  function_output_invalid: final(422, 'The output does not fit the output schema of the function'),
  function_resource_exceeded: final(422, 'The function used more than it may'),
  call_depth_exceeded: final(422, 'Functions call each other too deeply'),
  fetch_refused: final(422, 'The function may not send this request'),
  fetch_too_large: final(422, 'The answer to a request of the function is too large'),
  unsupported_parameter: final(422, 'The model does not support a parameter'),
  context_length_exceeded: final(422, 'The request is longer than the context of the model'),
  content_filtered: final(422, 'The provider refused the content'),
  model_capability_mismatch: final(422, 'The model cannot do this'),
  model_unpriced: final(422, 'The price of the model is not known, and a budget would have to count it'),
  function_call_invalid: final(422, 'No model produced a valid function call'),
  idempotency_key_reused: final(422, 'The Idempotency-Key was used for another request'),

  rate_limited: transient(429, 'Too many requests'),
  concurrency_limited: transient(429, 'Too many requests at the same time'),
  quota_exceeded: final(429, 'The quota is used up'),

  client_closed_request: final(499, 'The client closed the connection before the answer'),
  internal_error: final(500, 'Something went wrong on our side'),
  config_invalid: final(500, 'The configuration is not valid'),
  plugin_not_found: final(500, 'A configured plugin cannot be loaded'),
  plugin_incompatible: final(500, 'A configured plugin does not fit this host'),
  plugin_start_failed: final(500, 'A plugin did not start'),
  provider_error: transient(502, 'The model provider failed'),
  provider_bad_response: transient(502, 'The model provider sent an answer that cannot be used'),
  provider_auth_failed: final(502, 'The model provider refused our credentials'),
  fetch_failed: transient(502, 'A request of the function was not answered'),
  provider_rate_limited: transient(503, 'The model provider is limiting us'),
  no_provider_available: transient(503, 'No model is available for this request'),
  provider_not_configured: final(503, 'The model provider is not configured on this server'),
  executor_unavailable: transient(503, 'Functions cannot be executed right now'),
  storage_unavailable: transient(503, 'The storage cannot be reached right now'),
  authentication_unavailable: transient(503, 'The credentials cannot be checked right now'),
  overloaded: transient(503, 'The server has too much to do'),
  shutting_down: transient(503, 'The server is shutting down'),
  provider_timeout: transient(504, 'The model provider did not answer in time'),
  fetch_timeout: transient(504, 'A request of the function was not answered in time'),
} as const satisfies Readonly<Record<string, ErrorCodeInfo>>;

/** The stable name of a kind of failure, as found in `code` of every problem document. */
export type ErrorCode = keyof typeof errorCodes;
