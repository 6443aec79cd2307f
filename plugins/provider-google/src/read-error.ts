import {
  fieldsOf,
  type JsonFields,
  listOf,
  textOf,
  type UpstreamFaultKind,
  type VendorError,
} from '@patchbay/core/provider';
import errorCodes from './error-codes.json' with { type: 'json' };

type Kinds = Readonly<Record<string, UpstreamFaultKind>>;

/** `FAILED_PRECONDITION` concerns the account or the request: no structured field says which. */
const statuses = errorCodes.statuses as Kinds;

/** Reasons of `google.rpc.ErrorInfo` that concern the key or its project, whatever the status. */
const reasons = errorCodes.reasons as Kinds;

/**
 * `INVALID_ARGUMENT` distinguishes its causes only in its message, which may repeat the request: all of them are the
 * request's fault.
 */
const sentences: readonly (readonly [RegExp, UpstreamFaultKind])[] = [
  [/token count|maximum number of tokens|context (window|length)/i, 'context_length'],
  [/blocked|safety|prohibited/i, 'content_filter'],
  [/(not|n't) (enabled|supported?)|unsupported|unknown name/i, 'unsupported'],
];

/** Reads `{ error: { status, message, details } }`. */
export function readError(document: JsonFields): VendorError {
  const error = fieldsOf(document['error']);
  const details = (listOf(error?.['details']) ?? []).map((detail) => fieldsOf(detail) ?? {});
  const reason = details.map((detail) => reasons[textOf(detail['reason']) ?? '']).find((kind) => kind !== undefined);
  if (reason) return { kind: reason };
  const status = textOf(error?.['status']) ?? '';
  const retryAfter = retryDelay(details);
  if (statuses[status]) return { kind: statuses[status], retryAfter };
  if (status !== 'INVALID_ARGUMENT') return { retryAfter };
  const message = textOf(error?.['message']) ?? '';
  return { kind: sentences.find(([pattern]) => pattern.test(message))?.[1] ?? 'rejected' };
}

/** Seconds out of `{ retryDelay: "37.5s" }`, which is among the details. */
function retryDelay(details: readonly JsonFields[]): string | undefined {
  const delays = details.map((detail) => textOf(detail['retryDelay']));
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(delays.find((delay) => delay !== undefined) ?? '') ?? [];
  return seconds === undefined ? undefined : String(Math.ceil(Number(seconds)));
}
