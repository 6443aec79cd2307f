import { PatchbayError } from '@patchbay/core';
import type { IncomingRequest } from '../incoming-request.ts';

type Head = Pick<IncomingRequest, 'method' | 'header'>;

/**
 * Refuses requests that change something where the page of another site has a browser send them: the browser adds the
 * cookie by which the host knows the caller. A token is never added by itself, so requests with one need no such check.
 *
 * Browsers say in `Sec-Fetch-Site` where a request comes from, the older ones in `Origin`; other clients send neither.
 *
 * @throws PatchbayError `cross_site_request`.
 */
export function createOriginCheck(trusted: readonly string[] = []): (request: Head) => void {
  for (const origin of trusted) {
    if (URL.parse(origin)?.origin !== origin) {
      throw new TypeError(`trustedOrigins must have origins such as https://app.acme.com, and not ${origin}`);
    }
  }
  return (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    const origin = request.header('origin');
    if (origin !== undefined && trusted.includes(origin)) return;
    const site = request.header('sec-fetch-site');
    const isOwn =
      site === undefined
        ? origin === undefined || URL.parse(origin)?.host === request.header('host')
        : site === 'same-origin' || site === 'none';
    if (isOwn) return;
    throw new PatchbayError('cross_site_request', 'a page of another origin may not send this request for its reader');
  };
}
