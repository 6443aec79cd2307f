import { fieldsOf, type JsonFields, textOf, type UpstreamFaultKind, type VendorError } from '@patchbay/core/provider';

const types: Readonly<Record<string, UpstreamFaultKind>> = {
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'auth',
  not_found_error: 'model_gone',
  request_too_large: 'context_length',
  rate_limit_error: 'rate_limited',
  overloaded_error: 'failed',
  api_error: 'failed',
  timeout_error: 'failed',
};

/**
 * `invalid_request_error` distinguishes its causes only in its message, which may repeat the request: all of them are
 * the request's fault.
 */
const sentences: readonly (readonly [RegExp, UpstreamFaultKind])[] = [
  [/prompt is too long|context (window|limit|length)/i, 'context_length'],
  [/content filter|content policy|blocked by/i, 'content_filter'],
  [/(not|n't) (be )?(support|allowed|permitted|available)|deprecated|non-empty|prefill/i, 'unsupported'],
];

/** Reads `{ type: "error", error: { type, message } }`. */
export function readError(document: JsonFields, status: number | undefined): VendorError {
  const error = fieldsOf(document['error']);
  const type = textOf(error?.['type']) ?? '';
  if (types[type]) return { kind: types[type] };
  if (status !== 400 && type !== 'invalid_request_error') return {};
  const message = textOf(error?.['message']) ?? '';
  const kind = sentences.find(([pattern]) => pattern.test(message))?.[1];
  return { kind: kind ?? (status === undefined ? 'rejected' : undefined) };
}
