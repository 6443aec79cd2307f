/** Why a delivery was not taken, as the log of deliveries says it. Part of the public interface: added, never renamed. */
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
