import type { Authenticator, RequestHead } from '@patchbay/core/plugin';
import type { AuthenticatorUnderTest, PresentedRequest } from './authenticator-under-test.ts';

/** A head as a server passes it. */
export function headOf({ headers = {}, ...presented }: PresentedRequest): RequestHead {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const common = { method: 'GET', target: '/models', remoteAddress: '127.0.0.1' };
  return { ...common, ...presented, header: (name) => values.get(name) };
}

/** The authenticator, called as a server calls it: with the request, if it takes requests. */
export function askedAsByServer({
  authenticator,
  present,
}: AuthenticatorUnderTest): Pick<Authenticator, 'authenticate'> {
  return {
    async authenticate(credentials) {
      if (!authenticator.authenticateRequest) return await authenticator.authenticate(credentials);
      const presented = present?.(credentials.token) ?? { token: credentials.token };
      return await authenticator.authenticateRequest(headOf(presented));
    },
  };
}
