import {
  fieldsOf,
  type JsonFields,
  listOf,
  textOf,
  type UpstreamFaultKind,
  type VendorError,
} from '@patchbay/core/plugin';

const statuses: Readonly<Record<string, UpstreamFaultKind>> = {
  UNAUTHENTICATED: 'auth',
  PERMISSION_DENIED: 'auth',
  // No billing, or not in this country.
  FAILED_PRECONDITION: 'auth',
  NOT_FOUND: 'model_gone',
  ABORTED: 'busy',
  RESOURCE_EXHAUSTED: 'rate_limited',
  INTERNAL: 'failed',
  UNAVAILABLE: 'failed',
  DEADLINE_EXCEEDED: 'failed',
};

/** `INVALID_ARGUMENT` says only in words what is wrong. */
const sentences: readonly (readonly [RegExp, UpstreamFaultKind])[] = [
  [/API key/i, 'auth'],
  [/token count|maximum number of tokens|context (window|length)/i, 'context_length'],
  [/blocked|safety|prohibited/i, 'content_filter'],
  [/(not|n't) (enabled|supported?)|unsupported|unknown name/i, 'unsupported'],
];

/** Reads `{ error: { status, message, details } }`. */
export function readError(document: JsonFields): VendorError {
  const error = fieldsOf(document['error']);
  const status = textOf(error?.['status']) ?? '';
  const retryAfter = retryDelay(error);
  if (statuses[status]) return { kind: statuses[status], retryAfter };
  if (status !== 'INVALID_ARGUMENT') return { retryAfter };
  const message = textOf(error?.['message']) ?? '';
  return { kind: sentences.find(([pattern]) => pattern.test(message))?.[1] };
}

/** Seconds out of `{ retryDelay: "37.5s" }`, which stands among the details. */
function retryDelay(error: JsonFields | undefined): string | undefined {
  const delays = (listOf(error?.['details']) ?? []).map((detail) => textOf(fieldsOf(detail)?.['retryDelay']));
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(delays.find((delay) => delay !== undefined) ?? '') ?? [];
  return seconds === undefined ? undefined : String(Math.ceil(Number(seconds)));
}
