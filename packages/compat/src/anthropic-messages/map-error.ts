import type Anthropic from '@anthropic-ai/sdk';
import { PatchbayError } from '@patchbay/core/plugin';
import { THREAD_UNSUPPORTED } from './invalid-request.ts';

/** The types that the SDK knows, and one that the API has as well. */
type ErrorType = Anthropic.ErrorType | 'request_too_large';

export interface ErrorBody {
  readonly type: 'error';
  readonly error: { readonly type: ErrorType; readonly message: string; readonly details?: ThreadRefusal };
  readonly request_id: string;
}

/** Tells clients to send the whole conversation instead. */
type ThreadRefusal = Anthropic.Messages.ThreadUnsupportedRequestErrorDetails;

export interface ErrorReply {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
}

type Code = PatchbayError['code'];
type Mapped = readonly [status: number, type: ErrorType];

/** Codes whose status here is another than the native one, or whose type does not follow from it. */
const byCode: Partial<Readonly<Record<Code, Mapped>>> = {
  // Not 429, which clients send again: a budget is not full again in a second.
  quota_exceeded: [402, 'billing_error'],
  provider_rate_limited: [429, 'rate_limit_error'],
  provider_not_configured: [500, 'api_error'],
  // The fault of the model, not of the request.
  function_call_invalid: [502, 'api_error'],
};

const byStatus: Readonly<Record<number, Mapped>> = {
  400: [400, 'invalid_request_error'],
  401: [401, 'authentication_error'],
  402: [402, 'billing_error'],
  403: [403, 'permission_error'],
  404: [404, 'not_found_error'],
  408: [408, 'timeout_error'],
  409: [409, 'conflict_error'],
  413: [413, 'request_too_large'],
  422: [400, 'invalid_request_error'],
  429: [429, 'rate_limit_error'],
  503: [529, 'overloaded_error'],
  504: [504, 'timeout_error'],
};

/**
 * A failure as Anthropic's API returns it. Of anything that is no `PatchbayError`, nothing is told.
 *
 * @param requestId As in the header of the response.
 */
export function mapError(failure: unknown, requestId: string): ErrorReply {
  const known = PatchbayError.is(failure) ? failure : undefined;
  const [status, type] = known ? mappedOf(known) : ([500, 'api_error'] as const);
  const message = known && known.code !== 'internal_error' ? messageOf(known) : 'Internal server error';
  const isThread = known?.errors.some(({ code }) => code === THREAD_UNSUPPORTED) ?? false;
  const error = { type, message, ...(isThread && { details: threadRefusal }) };
  const body = { type: 'error', error, request_id: requestId } as const;
  return { status, body, headers: headersOf(known, status) };
}

const threadRefusal: ThreadRefusal = { error_code: THREAD_UNSUPPORTED, unsupported: [] };

function headersOf(error: PatchbayError | undefined, status: number): Readonly<Record<string, string>> {
  const isRetryable = error?.retryable ?? false;
  const seconds = error?.retryAfter ?? (isRetryable && (status === 429 || status === 529) ? 1 : undefined);
  return {
    // Clients decide by the status alone where it is absent, and then repeat requests that cannot succeed.
    'X-Should-Retry': String(isRetryable),
    ...(seconds !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) }),
  };
}

function mappedOf({ code, status }: PatchbayError): Mapped {
  const mapped = byCode[code] ?? byStatus[status];
  return mapped ?? [status, status < 500 ? 'invalid_request_error' : 'api_error'];
}

/** Details that the message does not have, each with its place in the words of this API. */
function messageOf({ code, message, errors }: PatchbayError): string {
  const details = errors
    .filter(({ detail }) => !message.includes(detail))
    .slice(0, 3)
    .map(({ pointer, detail }) => {
      const place = placeOf(pointer);
      return place === '' ? detail : `${place}: ${detail}`;
    });
  // Clients shorten their conversation at these words.
  const start = code === 'context_length_exceeded' ? `prompt is too long: ${message}` : message;
  return [start, ...details].join('; ');
}

/** Places in the body, where they are known: messages are other ones there, by number and in their parts. */
function placeOf(pointer: string): string {
  if (pointer.startsWith('/messages')) return '';
  const names = pointer.split('/').slice(1);
  const [first, index, third, ...rest] = names;
  if (first === 'tools' && third === 'parameters') return ['tools', index, 'input_schema', ...rest].join('.');
  if (first === 'responseSchema') return ['output_config', 'format', 'schema', ...names.slice(1)].join('.');
  return names.join('.');
}
