import { PatchbayError } from '@patchbay/core';
import type { RequestHead } from '@patchbay/core/plugin';
import { type HeadOfRequest, PresentedRequest } from './presented-request.ts';

const MAX_TOKEN_LENGTH = 8_192;
const bearer = /^bearer +(\S.*)$/i;
const visible = /^[\x21-\x7e]+$/;

/**
 * What a request presents to authenticators: its head, and the one token in it, if any.
 *
 * @param mountPath What the host cut off the front of the path.
 * @throws PatchbayError `invalid_request` for more than one token or `Authorization`; `invalid_token` for a text that
 *   cannot be a token.
 */
export function readCredentials(
  request: HeadOfRequest,
  { mountPath, remoteAddress }: { readonly mountPath: string; readonly remoteAddress: string | undefined },
): RequestHead {
  const authorization = request.header('authorization');
  const apiKey = request.header('x-api-key');
  if (authorization === undefined && apiKey === undefined) {
    return new PresentedRequest(request, { mountPath, remoteAddress, token: undefined });
  }
  if (request.headerCount('authorization') + request.headerCount('x-api-key') > 1) {
    throw new PatchbayError('invalid_request', 'send exactly one of Authorization and x-api-key, once');
  }
  // What a shell makes of an unset variable; "the scheme must be Bearer" would puzzle whoever sent just that.
  if (/^(?:bearer)? *$/i.test(apiKey ?? authorization ?? '')) {
    throw new PatchbayError('invalid_token', 'the token is empty: is the variable set that it comes from?');
  }
  const token = apiKey ?? bearer.exec(authorization ?? '')?.[1]?.trimEnd();
  const isTooLong = (token ?? authorization ?? '').length > MAX_TOKEN_LENGTH;
  if (isTooLong || (token !== undefined && !visible.test(token))) {
    throw new PatchbayError(
      'invalid_token',
      'the token has characters, or a length, that no token has: was a placeholder left in it?',
    );
  }
  return new PresentedRequest(request, { mountPath, remoteAddress, token });
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
