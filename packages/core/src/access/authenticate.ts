import type { Authenticator, Credentials } from '../contracts/authenticator.ts';
import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import { checkPrincipal } from './check-principal.ts';

/**
 * Ask the authenticators in order for the principal behind a token. With none, nobody gets in.
 *
 * @throws PatchbayError `invalid_token` when no authenticator knows the token, or what one of them throws.
 */
export function createAuthenticate(
  authenticators: readonly Authenticator[],
): (credentials: Credentials) => Promise<Principal> {
  return async (credentials) => {
    for (const authenticator of authenticators) {
      const principal = await authenticator.authenticate(credentials);
      if (principal) return checkPrincipal(principal);
    }
    throw new PatchbayError('invalid_token', 'the credentials are not valid');
  };
}
