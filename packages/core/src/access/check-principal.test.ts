import { describe, expect, it } from 'vitest';
import type { Principal } from '../contracts/context.ts';
import { tenantId } from '../contracts/tenant.ts';
import { createAuthenticate } from './authenticate.ts';
import { authenticatorFrom } from './authenticator-from.ts';
import { checkPrincipal } from './check-principal.ts';

const principal: Principal = { id: 'user|1', kind: 'user', tenant: tenantId('acme'), scopes: ['functions:execute'] };

/** A principal as a host without types may give it. */
const withScopes = (...scopes: string[]) => ({ ...principal, scopes: scopes as unknown as Principal['scopes'] });

describe('a principal', () => {
  it.each(['functions:execute', '*'])('may have the scope %s', (scope) => {
    const given = withScopes(scope);
    expect(checkPrincipal(given)).toBe(given);
  });

  it('with a misspelt scope is refused with the nearest', () => {
    const message =
      'the principal is not valid: its scopes include "function:execute", which is not a scope; did you mean "functions:execute"?';
    expect(() => checkPrincipal(withScopes('function:execute'))).toThrow(new TypeError(message));
  });

  it('with a scope unlike any other is refused with the list', () => {
    expect(() => checkPrincipal(withScopes('openid'))).toThrow(
      /"openid", which is not a scope; there are .*keys:write/,
    );
  });

  it('of an authenticator is checked as well', async () => {
    const authenticate = createAuthenticate([{ authenticate: async () => withScopes('gateway:invok') }]);
    await expect(authenticate({ token: 't' })).rejects.toThrow('did you mean "gateway:invoke"?');
  });

  it('with an unknown scope is a type error', () => {
    // @ts-expect-error -- TypeScript refuses it
    const misspelt: Principal = { ...principal, scopes: ['function:execute'] };
    // @ts-expect-error -- likewise
    authenticatorFrom(async () => ({ id: '1', kind: 'user', tenant: tenantId('a'), scopes: ['gateway'] }));
    expect(() => checkPrincipal(misspelt)).toThrow(TypeError);
  });
});
