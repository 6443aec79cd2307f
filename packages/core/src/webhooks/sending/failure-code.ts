/**
 * Why a delivery was not taken:
 *
 * - `url_refused`: the policy of this server does not let deliveries go to the URL (any more)
 * - `address_refused`: the host has an address that deliveries may not reach
 * - `name_not_resolved`: the host has no address
 * - `connect_timeout`, `connect_failed`: there was no connection, in time or at all
 * - `tls_failed`: the certificate is not trusted, or TLS could not be agreed on
 * - `connection_closed`: the connection ended before an answer began
 * - `answer_timeout`: no answer began in time
 * - `response_timeout`, `response_too_large`, `response_broken`: the answer began and did not end in time, within the
 *   bytes that are read, or as HTTP has it
 * - `headers_too_large`, `invalid_response`: what came is no answer of HTTP
 * - `redirected`: the answer is a redirect, which is not followed
 * - `status`: the answer has another status that is not 2xx
 */
export type FailureCode =
  | 'url_refused'
  | 'address_refused'
  | 'name_not_resolved'
  | 'connect_timeout'
  | 'connect_failed'
  | 'tls_failed'
  | 'connection_closed'
  | 'answer_timeout'
  | 'response_timeout'
  | 'response_too_large'
  | 'response_broken'
  | 'headers_too_large'
  | 'invalid_response'
  | 'redirected'
  | 'status';

/** What the code of an error means that came before there was a connection. */
export function connectFault(code: string): FailureCode {
  if (code === 'EGRESS_REFUSED') return 'address_refused';
  if (code === 'EGRESS_TIMEOUT' || code === 'ETIMEDOUT') return 'connect_timeout';
  if (notResolved.has(code)) return 'name_not_resolved';
  // Those of OpenSSL, of its checks of certificates, and of Node's.
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
