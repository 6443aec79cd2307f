import { type App, type ErrorCode, errorCodes, jsonTextOf, PatchbayError } from '@patchbay/core';
import type { Exchange } from '../exchange.ts';
import { namingLines } from '../input/json-lines.ts';
import type { ApiFormat } from './api-format.ts';
import { type WireReply, withCommonHeaders } from './wire.ts';

export const problemMediaType = 'application/problem+json';

/** `type` of the problem documents of a code. A name and not a URL, so that it survives moves of the docs. */
function problemType(code: ErrorCode): string {
  return `urn:patchbay:error:${code}`;
}

export interface ProblemReply extends WireReply {
  readonly body: string;
}

/**
 * The problem document (RFC 9457) of an error, with the headers of every response and those of its code.
 *
 * @param redact Removes secrets from strings. Values sent by the caller are returned unchanged.
 *
 * Anything that is not a `PatchbayError` becomes `internal_error`; its content is never sent.
 *
 * @example
 * ```ts
 * import { PatchbayError } from '@patchbay/core';
 * import { problemReply } from '@patchbay/http';
 *
 * console.log(problemReply(new PatchbayError('route_not_found', 'no such page'), 'request_1').status); // 404
 * ```
 */
export function problemReply(
  error: unknown,
  requestId: string,
  redact: (text: string) => string = (text) => text,
): ProblemReply {
  return failureReply(error, requestId, redact, ownFormat);
}

function failureReply(
  error: unknown,
  requestId: string,
  redact: (text: string) => string,
  { failure: format, requestIdHeader }: ApiFormat,
): ProblemReply {
  const known = isKnown(error)
    ? error
    : new PatchbayError('internal_error', 'the cause is in the log of the server, under the id of this request');
  const { code, extensions, retryable } = known;
  const { refusal } = known.upstream ?? {};
  if (refusal) return refusalReply(refusal, known, requestId, requestIdHeader);
  const { status, body, headers: own } = format(redacted(known, redact), requestId);
  const headers: Record<string, string> = { 'Content-Type': 'application/json', [requestIdHeader]: requestId };
  withCommonHeaders(headers, requestId);
  if (status === 401) headers['WWW-Authenticate'] = challenge(code);
  const { scope, allow } = extensions;
  if (code === 'insufficient_scope' && typeof scope === 'string') {
    headers['WWW-Authenticate'] = `Bearer realm="patchbay", error="${code}", scope="${scope}"`;
  }
  if (code === 'method_not_allowed' && typeof allow === 'string') headers['Allow'] = allow;
  const retryAfter = known.retryAfter ?? (retryable && busy.has(status) ? 1 : undefined);
  // Clients of other vendors read this, and decide by the status alone if it is absent.
  headers['X-Should-Retry'] = String(retryable);
  if (retryAfter !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(retryAfter)));
  Object.assign(headers, own);
  return { status, headers, body: jsonTextOf(body), close: closes.has(code) };
}

/** The vendor's own error, for a caller who speaks its dialect: only such requests are forwarded. */
function refusalReply(
  { status, headers: received, body }: NonNullable<NonNullable<PatchbayError['upstream']>['refusal']>,
  { retryAfter }: PatchbayError,
  requestId: string,
  requestIdHeader: string,
): ProblemReply {
  const headers: Record<string, string> = { 'Content-Type': 'application/json', [requestIdHeader]: requestId };
  withCommonHeaders(headers, requestId);
  headers['X-Should-Retry'] = String(status === 429);
  if (retryAfter !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(retryAfter)));
  for (const [name, value] of Object.entries(received)) {
    headers[name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())] = value;
  }
  return { status, headers, body: Buffer.from(body).toString(), close: false };
}

/** With strings that are safe to send. */
function redacted(error: PatchbayError, redact: (text: string) => string): PatchbayError {
  const { code, message, extensions, retryAfter, upstream } = error;
  const errors = error.errors.map((fault) => ({ ...fault, detail: redact(fault.detail) }));
  return new PatchbayError(code, redact(message), {
    errors,
    extensions,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(upstream && { upstream }),
  });
}

/** Problem documents. */
export const ownFormat: ApiFormat = {
  requestIdHeader: 'Request-Id',
  failure: ({ code, message, errors, extensions, retryable }, requestId) => {
    const { status, title } = errorCodes[code];
    const document = {
      type: problemType(code),
      title,
      status,
      detail: message,
      instance: `urn:patchbay:request:${requestId}`,
      code,
      requestId,
      retryable,
      errors: errors.length > 0 ? errors : undefined,
    };
    // Twice: the first time for the order, the second time so that no extension overrides a standard member.
    const body = { ...document, ...extensions, ...document };
    return { status, body, headers: { 'Content-Type': problemMediaType } };
  },
  failureSchema: 'Problem',
  failureEvent: (body) => `event: error\ndata: ${body}\n\n`,
};

/** A plugin may have been built with a copy of the core that has other codes. */
export function isKnown(error: unknown): error is PatchbayError {
  return PatchbayError.is(error) && Object.hasOwn(errorCodes, error.code);
}

// The last one is that of Anthropic for a server that is too busy.
const busy: ReadonlySet<number> = new Set([429, 503, 529]);

// After these the rest of the message is still arriving, or is not needed.
const closes: ReadonlySet<ErrorCode> = new Set(['body_too_large', 'request_timeout', 'shutting_down']);

// RFC 6750, section 3: without credentials the challenge contains only the scheme.
function challenge(code: ErrorCode): string {
  return code === 'unauthenticated' ? 'Bearer realm="patchbay"' : 'Bearer realm="patchbay", error="invalid_token"';
}

// A stopping or overloaded server needs no attention. The access log contains the requests.
const expected: ReadonlySet<ErrorCode> = new Set(['shutting_down', 'overloaded']);

/** The reply to a failed request; logs the details that are not sent. */
export function failure(error: unknown, exchange: Exchange, app: App): ProblemReply {
  const { context, requestId } = exchange;
  // An aborted call may throw any error of its library; the caller needs the reason of the abort.
  const reason: unknown = context?.signal.aborted ? context.signal.reason : undefined;
  const known = !isKnown(error) && isKnown(reason) ? reason : error;
  const cause = exchange.lines !== undefined && isKnown(known) ? namingLines(known, exchange.lines) : known;
  const { format } = exchange;
  const reply = failureReply(cause, requestId, (text) => app.host.redact(text), format);
  const { 'WWW-Authenticate': challenged } = reply.headers;
  const more = challenged && format.challenge?.(app);
  if (more) reply.headers['WWW-Authenticate'] = `${challenged}, ${more}`;
  if (reply.status >= 500) logFailure(cause, error, requestId, app);
  return reply;
}

/** Log level: error for internal errors, warning for failures of an upstream or a disabled provider. */
function logFailure(cause: unknown, error: unknown, requestId: string, { host: { logger } }: App): void {
  if (!isKnown(cause) || cause.code === 'internal_error') {
    logger.error('request failed', { requestId, error });
    return;
  }
  if (expected.has(cause.code)) return;
  const { code, message: detail, upstream } = cause;
  const hasMore = cause !== error || cause.cause !== undefined;
  const level = hasMore && upstream === undefined ? 'error' : 'warn';
  logger[level]('request failed', {
    requestId,
    code,
    detail,
    ...(upstream && { upstream }),
    ...(hasMore && { error }),
  });
}
