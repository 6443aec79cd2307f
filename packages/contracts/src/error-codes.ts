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
 * 4xx: the caller, or the caller's function, must change something. 5xx: the operator or Patchbay must.
 */
export const errorCodes = {
  invalid_json: final(400, 'The body is not valid JSON'),
  invalid_request: final(400, 'The request does not match the documented schema'),
  too_deep: final(400, 'The JSON document is nested too deeply or has too many values'),
  unsupported_unicode: final(400, 'The JSON document has a NUL character or a lone surrogate'),

  unauthenticated: final(401, 'Credentials are required'),
  invalid_token: final(401, 'The credentials are invalid'),
  token_expired: final(401, 'The credentials have expired'),
  key_revoked: final(401, 'The API key was revoked'),
  insufficient_scope: final(403, 'The credentials lack a required scope'),
  address_not_allowed: final(403, 'The API key cannot be used from this address'),
  cross_site_request: final(403, 'The request was sent by a page of another origin'),

  function_not_found: final(404, 'Function not found'),
  version_not_found: final(404, 'Version not found'),
  settings_not_found: final(404, 'Settings not found'),
  observed_name_not_found: final(404, 'Observed name not found'),
  model_not_found: final(404, 'Model not found'),
  tool_not_found: final(404, 'Tool not found'),
  stored_object_not_found: final(404, 'The request names an object at the vendor that is not known here'),
  execution_not_found: final(404, 'Execution not found'),
  webhook_not_found: final(404, 'Webhook not found'),
  delivery_not_found: final(404, 'Delivery not found'),
  experiment_not_found: final(404, 'Experiment not found'),
  schedule_not_found: final(404, 'Schedule not found'),
  example_not_found: final(404, 'Example not found'),
  call_not_found: final(404, 'Call not found'),
  feedback_not_found: final(404, 'Feedback not found'),
  feedback_target_not_found: final(404, 'The target of the feedback was not found'),
  key_not_found: final(404, 'API key not found'),
  route_not_found: final(404, 'Endpoint not found'),
  method_not_allowed: final(405, 'Method not allowed'),
  unsupported_media_type: final(415, 'The body must be application/json in UTF-8 without compression'),

  conflict: final(409, 'The state of the resource does not allow this'),
  execution_cancelled: final(409, 'The execution was cancelled'),
  webhook_disabled: final(409, 'The webhook is disabled'),
  webhook_limit_reached: final(409, 'The tenant has reached its maximum number of webhooks'),
  key_inactive: final(409, 'The API key was revoked or has expired'),
  idempotency_in_progress: transient(409, 'A request with this Idempotency-Key is still in progress'),
  idempotency_answer_lost: final(409, 'A request with this Idempotency-Key was run, but its response is unknown'),
  ambiguous_function_name: final(409, 'More than one function has this name'),
  feedback_expired: final(410, 'The target is too old for feedback'),
  precondition_failed: final(412, 'The resource has changed since the version in If-Match'),
  request_timeout: transient(408, 'The request did not arrive in time'),
  body_too_large: final(413, 'The body is too large'),
  uri_too_long: final(414, 'The request target is too long'),
  headers_too_large: final(431, 'The request headers are too large'),

  input_invalid: final(422, 'The input does not match the input schema of the function'),
  schema_invalid: final(422, 'The schema is not supported'),
  code_invalid: final(422, 'The code cannot be used as a function'),
  function_failed: final(422, 'The function failed'),
  function_timeout: final(422, 'The function timed out'),
  function_output_invalid: final(422, 'The output does not match the output schema of the function'),
  function_resource_exceeded: final(422, 'The function exceeded its resource limits'),
  call_depth_exceeded: final(422, 'Functions call each other too deeply'),
  fetch_refused: final(422, 'The function is not allowed to send this request'),
  fetch_too_large: final(422, 'The response to a fetch of the function is too large'),
  unsupported_parameter: final(422, 'The model does not support a parameter'),
  context_length_exceeded: final(422, 'The prompt exceeds the context window of the model'),
  content_filtered: final(422, 'The provider rejected the content'),
  model_capability_mismatch: final(422, 'The model lacks a required capability'),
  model_unpriced: final(422, 'The price of the model is unknown, and the caller has a budget'),
  function_call_invalid: final(422, 'No model produced a valid function call'),
  idempotency_key_reused: final(422, 'The Idempotency-Key was used for another request'),

  rate_limited: transient(429, 'Too many requests'),
  concurrency_limited: transient(429, 'Too many concurrent requests'),
  quota_exceeded: final(429, 'The quota is used up'),

  client_closed_request: final(499, 'The client closed the connection before the response'),
  internal_error: final(500, 'Internal server error'),
  config_invalid: final(500, 'The configuration is invalid'),
  plugin_not_found: final(500, 'A configured plugin cannot be loaded'),
  plugin_incompatible: final(500, 'A configured plugin is incompatible with this host'),
  plugin_start_failed: final(500, 'A plugin failed to start'),
  provider_error: transient(502, 'The model provider failed'),
  provider_bad_response: transient(502, 'The model provider returned an invalid response'),
  provider_auth_failed: final(502, 'The model provider rejected the credentials of this server'),
  fetch_failed: transient(502, 'A fetch of the function failed'),
  tool_failed: final(502, 'The tool of another server failed'),
  provider_rate_limited: transient(503, 'The model provider rate-limits this server'),
  no_provider_available: transient(503, 'No model is available for this request'),
  provider_not_configured: final(503, 'The model provider is not configured on this server'),
  tool_unavailable: transient(503, 'The server of the tool is unavailable'),
  executor_unavailable: transient(503, 'The executor is unavailable'),
  storage_unavailable: transient(503, 'The storage is unavailable'),
  authentication_unavailable: transient(503, 'The credentials cannot be verified at the moment'),
  overloaded: transient(503, 'The server is overloaded'),
  shutting_down: transient(503, 'The server is shutting down'),
  provider_timeout: transient(504, 'The model provider timed out'),
  fetch_timeout: transient(504, 'A fetch of the function timed out'),
} as const satisfies Readonly<Record<string, ErrorCodeInfo>>;

/** The stable name of a kind of failure, as found in `code` of every problem document. */
export type ErrorCode = keyof typeof errorCodes;
