import { PatchbayError } from '@patchbay/core';
import type { Credentials } from '@patchbay/core/plugin';
import type { IncomingRequest } from '../incoming-request.ts';

const MAX_TOKEN_LENGTH = 8_192;
const bearer = /^bearer +(\S.*)$/i;
const visible = /^[\x21-\x7e]+$/;

/**
 * The one token of a request.
 *
 * @throws PatchbayError `unauthenticated` without one; `invalid_request` where there is more than one;
 *   `invalid_token` where it cannot be a token.
 */
export function readCredentials(
  request: Pick<IncomingRequest, 'header' | 'headerCount'>,
  remoteAddress?: string,
): Credentials {
  const authorization = request.header('authorization');
  const apiKey = request.header('x-api-key');
  if (authorization === undefined && apiKey === undefined) {
    throw new PatchbayError('unauthenticated', 'send an API key or access token as "Authorization: Bearer <token>"');
  }
  if (request.headerCount('authorization') + request.headerCount('x-api-key') > 1) {
    throw new PatchbayError('invalid_request', 'send exactly one of Authorization and x-api-key, once');
  }
  // What a shell makes of an unset variable; "the scheme must be Bearer" would puzzle whoever sent just that.
  if (/^(?:bearer)? *$/i.test(apiKey ?? authorization ?? '')) {
    throw new PatchbayError('invalid_token', 'the token is empty: is the variable set that it comes from?');
  }
  const token = apiKey ?? bearer.exec(authorization ?? '')?.[1]?.trimEnd();
  if (token === undefined) throw new PatchbayError('invalid_token', 'the scheme of Authorization must be Bearer');
  if (token.length > MAX_TOKEN_LENGTH || !visible.test(token)) {
    throw new PatchbayError(
      'invalid_token',
      'the token has characters, or a length, that no token has: was a placeholder left in it?',
    );
  }
  return remoteAddress === undefined ? { token } : { token, remoteAddress };
}

const tokenParameter = /(?:^|&)(?:access_token|api_key|apikey|x-api-key)=/i;

/** @throws PatchbayError `invalid_request` for a token in the query, where it would end up in logs and histories. */
export function refuseTokenInQuery(query: string): void {
  if (tokenParameter.test(query)) {
    throw new PatchbayError(
      'invalid_request',
      'credentials are not accepted in the query; use the Authorization header',
    );
  }
}
