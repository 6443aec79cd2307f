interface Attempt {
  /** Milliseconds from the first packet to the end of the response, or to the failure. */
  readonly durationMs: number;
  /** The first KiB of the response as text, without control characters. Empty if there is none. */
  readonly responseExcerpt: string;
}

/** The outcome of one attempt to deliver. */
export type SendOutcome = DeliveredOutcome | FailedOutcome | GoneOutcome;

/** The endpoint responded with 2xx, completely. */
export interface DeliveredOutcome extends Attempt {
  readonly kind: 'delivered';
  readonly status: number;
}

/** To be retried later. */
export interface FailedOutcome extends Attempt {
  readonly kind: 'failed';
  readonly failure: FailureCode;
  /** Present if the endpoint responded. */
  readonly status?: number;
  /** The `Retry-After` of the endpoint; not bounded in any way. */
  readonly retryAfterMs?: number;
  /** The endpoint is overloaded (429, 502, 503, 504): other deliveries to it should wait as well. */
  readonly throttled?: boolean;
}

/** The endpoint responded with 410: it never wants to hear from us again. */
export interface GoneOutcome extends Attempt {
  readonly kind: 'gone';
  readonly status: 410;
}

/** Failure reasons in the log of deliveries. Part of the public interface: added, never renamed. */
export const failureCodes = {
  url_refused: 'The config of this server does not allow deliveries to the URL.',
  address_refused: 'The host resolves to a forbidden address.',
  name_not_resolved: 'The host has no address.',
  connect_timeout: 'The connection, including TLS, timed out.',
  connect_failed: 'The connection was refused, or the network is unreachable.',
  tls_failed: 'The certificate is not trusted or is for another host, or the TLS handshake failed.',
  connection_closed: 'The connection was closed before the response.',
  answer_timeout: 'The response did not start in time.',
  response_timeout: 'The response started but did not end in time.',
  response_too_large: 'The response is larger than 64 KiB.',
  response_broken: 'The response started but was cut off or malformed.',
  headers_too_large: 'The response headers are larger than 16 KiB.',
  invalid_response: 'The response is not valid HTTP.',
  redirected: 'The response is a redirect. It is not followed: change the URL of the webhook.',
  status: 'The response has another status that is not 2xx.',
} as const;

export type FailureCode = keyof typeof failureCodes;

/** The failure for the code of an error from before the connection was established. */
export function connectFault(code: string): FailureCode {
  if (code === 'EGRESS_REFUSED') return 'address_refused';
  if (code === 'EGRESS_TIMEOUT' || code === 'ETIMEDOUT') return 'connect_timeout';
  if (notResolved.has(code)) return 'name_not_resolved';
  // Codes of OpenSSL, of its certificate checks, and of Node's.
  if (/^(?:ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/u.test(code)) {
    return 'tls_failed';
  }
  return 'connect_failed';
}

const notResolved: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'ENODATA',
  'ESERVFAIL',
  'ETIMEOUT',
  'EREFUSED',
  'EBADNAME',
  'EBADRESP',
]);

const MAX_BYTES = 1_024;

/**
 * The part of a response that the log of deliveries keeps. People read it in terminals and browsers, so it keeps
 * nothing that moves cursors or changes the direction of text.
 */
export function responseExcerpt(body: Buffer, contentEncoding: string | undefined): string {
  // Nothing is ever decompressed: a few bytes can become gigabytes.
  if ((contentEncoding ?? 'identity').trim().toLowerCase() !== 'identity') return '';
  // As a stream, so that a character that is cut in two is left out.
  const text = new TextDecoder().decode(body.subarray(0, MAX_BYTES), { stream: true });
  return text
    .replace(/[\r\n\t]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
}

/**
 * Parses `Retry-After` to milliseconds: a number of seconds, or the time until a date (RFC 9110, section 10.2.3).
 *
 * @param now Epoch milliseconds.
 */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1_000;
  // Every form of a date begins with the day of the week. `Date.parse` accepts much more than that.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/u.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
