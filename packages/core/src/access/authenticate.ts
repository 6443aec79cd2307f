import type { Authenticator, Credentials, RequestHead } from '../contracts/authenticator.ts';
import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import { checkPrincipal } from './check-principal.ts';

/**
 * Ask the authenticators in order for the principal behind a token or a request. Without any, every caller is refused.
 *
 * @throws PatchbayError `unauthenticated` for a request without credentials, `invalid_token` when no authenticator knows
 *   the ones that it has, or what one of the authenticators throws.
 */
export function createAuthenticate(
  authenticators: readonly Authenticator[],
): (presented: Credentials | RequestHead) => Promise<Principal> {
  return async (presented) => {
    for (const authenticator of authenticators) {
      const principal = await ask(authenticator, presented);
      if (principal) return checkPrincipal(principal);
    }
    throw refusalOf(presented);
  };
}

async function ask(authenticator: Authenticator, presented: Credentials | RequestHead): Promise<Principal | undefined> {
  if (isRequest(presented) && authenticator.authenticateRequest) {
    return await authenticator.authenticateRequest(presented);
  }
  const { token, remoteAddress } = presented;
  if (token === undefined) return undefined;
  // Only these: an authenticator of tokens has no business with the rest of the request.
  return await authenticator.authenticate(remoteAddress === undefined ? { token } : { token, remoteAddress });
}

function refusalOf(presented: Credentials | RequestHead): PatchbayError {
  if (presented.token !== undefined) return new PatchbayError('invalid_token', 'the credentials are not valid');
  if (isRequest(presented) && presented.header('authorization') !== undefined) {
    return new PatchbayError(
      'invalid_token',
      'the credentials are not valid: the scheme of Authorization must be Bearer',
    );
  }
  return new PatchbayError('unauthenticated', 'send an API key or access token as "Authorization: Bearer <token>"');
}

function isRequest(presented: Credentials | RequestHead): presented is RequestHead {
  return 'header' in presented;
}
