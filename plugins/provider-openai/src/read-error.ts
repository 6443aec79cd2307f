import {
  faultOfStatus,
  fieldsOf,
  type JsonFields,
  listOf,
  textOf,
  type UpstreamFaultKind,
  type VendorError,
} from '@patchbay/core/provider';

/** OpenAI's codes, where it has some for what callers can do something about. */
const codes: Readonly<Record<string, UpstreamFaultKind>> = {
  context_length_exceeded: 'context_length',
  string_above_max_length: 'context_length',
  content_filter: 'content_filter',
  content_policy_violation: 'content_filter',
  moderation_blocked: 'content_filter',
  invalid_prompt: 'content_filter',
  bio_policy: 'content_filter',
  misalignment_policy_violation: 'content_filter',
  image_content_policy_violation: 'content_filter',
  unsupported_parameter: 'unsupported',
  unsupported_value: 'unsupported',
  model_not_found: 'model_gone',
  // The same of Azure, Ollama and vLLM.
  DeploymentNotFound: 'model_gone',
  not_found_error: 'model_gone',
  NotFoundError: 'model_gone',
  invalid_image: 'rejected',
  invalid_image_format: 'rejected',
  invalid_base64_image: 'rejected',
  invalid_image_url: 'rejected',
  invalid_image_mode: 'rejected',
  image_too_large: 'rejected',
  image_too_small: 'rejected',
  image_parse_error: 'rejected',
  image_file_too_large: 'rejected',
  image_file_not_found: 'rejected',
  unsupported_image_media_type: 'rejected',
  empty_image_file: 'rejected',
  failed_to_download_image: 'rejected',
  // Comes as 429, but no waiting helps.
  insufficient_quota: 'auth',
  rate_limit_exceeded: 'rate_limited',
};

/** Types by which a stream, which has no status, refuses a request. */
const requestErrors: ReadonlySet<string> = new Set(['invalid_request_error', 'BadRequestError']);

/** Servers that speak like OpenAI often have nothing but a sentence. */
const sentences: readonly (readonly [RegExp, UpstreamFaultKind])[] = [
  [/context (length|window|size)|maximum context|too many (input )?tokens|prompt is too long/i, 'context_length'],
  [/content (filter|policy|management)|flagged as|safety system/i, 'content_filter'],
  [/(not|n't) (support|enabled)|unsupported (parameter|value)|not available for this model/i, 'unsupported'],
];

/** Reads `{ error: { code, message } }`, and `{ error: "…" }` and `{ message: "…" }` of other servers. */
export function readError(document: JsonFields, status: number | undefined): VendorError {
  const error = fieldsOf(document['error']) ?? document;
  const known = codes[textOf(error['code']) ?? ''] ?? codes[textOf(error['type']) ?? ''];
  if (known) return { kind: known };
  // OpenRouter's moderation of what the caller sent.
  if (listOf(fieldsOf(error['metadata'])?.['reasons'])) return { kind: 'content_filter' };
  if (status === undefined) return { kind: faultWithinStream(error) };
  // A gateway in front of many models says 404 as well where none of them can do what the request asks for.
  if (status === 404 && document['error'] !== undefined) return { kind: 'rejected' };
  if (status !== 400 && status !== 413 && status !== 422) return {};
  const message = textOf(error['message']) ?? textOf(document['error']) ?? '';
  return { kind: sentences.find(([pattern]) => pattern.test(message))?.[1] };
}

function faultWithinStream({ code, type }: JsonFields): UpstreamFaultKind | undefined {
  if (typeof code === 'number' && code >= 400 && code < 600) return faultOfStatus(code);
  return requestErrors.has(textOf(type) ?? '') ? 'rejected' : undefined;
}
