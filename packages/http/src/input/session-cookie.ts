import { PatchbayError } from '@patchbay/core';
import type { IncomingRequest } from '../incoming-request.ts';
import type { ReadHeader } from '../operation.ts';
import { refuseOtherOrigins } from './caller.ts';

/** Sent by the console with every request. Pages of other origins cannot send it without asking first (CORS). */
const CONSOLE_HEADER = 'patchbay-console';

/** With this prefix, browsers do not let another host set the cookie, nor accept it without TLS. */
const SECURE_PREFIX = '__Host-';

type Head = Pick<IncomingRequest, 'header'>;

/**
 * The session of a request sent by the console. From elsewhere the cookie is not a credential: browsers also add it to
 * requests of links, forms and images.
 *
 * @throws PatchbayError `cross_site_request` for the page of another origin that sends the header anyway.
 */
export function readSession(request: Head, name: string): string | undefined {
  if (request.header(CONSOLE_HEADER) === undefined) return undefined;
  const secret = readSessionCookie((each) => request.header(each), name);
  if (secret !== undefined) refuseOtherOrigins(request);
  return secret;
}

/** @throws PatchbayError `cross_site_request` for a request that is not from the console. */
export function requireConsole(header: ReadHeader): void {
  refuseOtherOrigins({ header });
  if (header(CONSOLE_HEADER) !== undefined) return;
  throw new PatchbayError('cross_site_request', 'a browser signs in with the header Patchbay-Console');
}

export function readSessionCookie(header: ReadHeader, name: string): string | undefined {
  const cookies = new Map(
    (header('cookie') ?? '').split(';').map((pair): [string, string] => {
      const [key = '', value = ''] = pair.split('=', 2);
      return [key.trim(), value.trim()];
    }),
  );
  return cookies.get(SECURE_PREFIX + name) ?? cookies.get(name);
}

/**
 * The `Set-Cookie` header of a session, or of its end. The origin of the page shows whether it came over TLS, even if a
 * proxy in front has terminated it.
 */
export function writeSessionCookie(header: ReadHeader, name: string, secret: string, maxAgeSeconds: number): string {
  const isSecure = header('origin')?.startsWith('https:') ?? false;
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
  return isSecure ? `${SECURE_PREFIX}${name}=${secret}; ${attributes}; Secure` : `${name}=${secret}; ${attributes}`;
}
