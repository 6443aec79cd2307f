/** Why a delivery was not taken, as the log of deliveries says it. Part of the public interface: added, never renamed. */
export const failureCodes = {
  url_refused: 'The config of this server does not let deliveries go to the URL, or does not any more.',
  address_refused: 'The host has an address that deliveries may not reach.',
  name_not_resolved: 'The host has no address.',
  connect_timeout: 'There was no connection in time, TLS included.',
  connect_failed: 'There was no connection: nobody listens, or the network does not lead there.',
  tls_failed: 'The certificate is not trusted, is one of another host, or TLS could not be agreed on.',
  connection_closed: 'The connection ended before an answer began.',
  answer_timeout: 'No answer began in time.',
  response_timeout: 'The answer began, and did not end in time.',
  response_too_large: 'The answer has more than 64 KiB.',
  response_broken: 'The answer began, and broke off or went wrong.',
  headers_too_large: 'The headers of the answer have more than 16 KiB.',
  invalid_response: 'What came is no answer of HTTP.',
  redirected: 'The answer is a redirect. It is not followed: change the URL of the webhook.',
  status: 'The answer has another status that is not 2xx.',
} as const;

export type FailureCode = keyof typeof failureCodes;

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
