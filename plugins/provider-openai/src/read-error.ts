import {
  faultOfStatus,
  fieldsOf,
  type JsonFields,
  listOf,
  textOf,
  type UpstreamFaultKind,
  type VendorError,
} from '@patchbay/core/provider';
import errorCodes from './error-codes.json' with { type: 'json' };

/**
 * OpenAI's codes for errors that callers can fix, and those of Azure, Ollama and vLLM. `insufficient_quota` comes as
 * 429, but waiting does not help.
 */
const codes = errorCodes as Readonly<Record<string, UpstreamFaultKind>>;

/** Types by which a stream, which has no status, refuses a request. */
const requestErrors: ReadonlySet<string> = new Set(['invalid_request_error', 'BadRequestError']);

/** OpenAI-compatible servers often return nothing but a message. */
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
  // Gateways in front of many models also return 404 if none of them supports the request.
  if (status === 404 && document['error'] !== undefined) return { kind: 'rejected' };
  if (status !== 400 && status !== 413 && status !== 422) return {};
  const message = textOf(error['message']) ?? textOf(document['error']) ?? '';
  return { kind: sentences.find(([pattern]) => pattern.test(message))?.[1] };
}

function faultWithinStream({ code, type }: JsonFields): UpstreamFaultKind | undefined {
  if (typeof code === 'number' && code >= 400 && code < 600) return faultOfStatus(code);
  return requestErrors.has(textOf(type) ?? '') ? 'rejected' : undefined;
}
