import type { Credentials } from '@patchbay/contracts/authenticator';
import type { Principal } from '@patchbay/contracts/context';
import { definePlugin, type Plugin } from '@patchbay/contracts/define-plugin';

/**
 * Create an authenticator from a function, for hosts that identify their callers by a token.
 *
 * `undefined` means that the token is not one of the host's, and the next authenticator is tried. For callers that the
 * host identifies by other means, such as a session cookie, use the option `caller` of the binders instead.
 *
 * @param authenticate Throws `PatchbayError` `invalid_token`, `token_expired` or `key_revoked` to reject a token of its
 *   own. Other errors are logged and result in 500.
 *
 * @example
 * ```ts
 * import { authenticatorFrom, createApp, tenantId } from '@patchbay/core';
 *
 * const accounts = new Map([['a-token-of-the-host', { userId: 42, company: 'acme' }]]);
 *
 * const host = authenticatorFrom(async ({ token }) => {
 *   const account = accounts.get(token);
 *   if (!account) return undefined;
 *   const { userId, company } = account;
 *   return { id: `user|${userId}`, kind: 'user', tenant: tenantId(company), scopes: ['functions:execute'] };
 * });
 * const app = await createApp({ patchbay: 1, authenticators: { host: { use: host } } });
 * await app.host.stop();
 * ```
 */
export function authenticatorFrom(
  authenticate: (credentials: Credentials) => Promise<Principal | undefined>,
): Plugin<'authenticator'> {
  return definePlugin({
    name: 'authenticator of the host',
    kind: 'authenticator',
    version: 1,
    config: { properties: {} },
    create: () => ({ authenticate }),
  });
}
