import { fieldsOf, type JsonFields, textOf, type UpstreamFaultKind, type VendorError } from '@patchbay/core/plugin';

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
  // Comes as 429, but no waiting helps.
  insufficient_quota: 'auth',
  rate_limit_exceeded: 'rate_limited',
};

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
  if (status !== 400 && status !== 413 && status !== 422) return {};
  const message = textOf(error['message']) ?? textOf(document['error']) ?? '';
  return { kind: sentences.find(([pattern]) => pattern.test(message))?.[1] };
}
