import type { Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import { operatorScopes, type Scope, scopes } from '@patchbay/contracts/scopes';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { authenticatorFrom } from './authenticator-from.ts';
import { authorize, checkPrincipal, createAuthenticate, hasScope } from './callers.ts';

const principal = (...granted: Principal['scopes']): Principal => ({
  id: 'key_1',
  kind: 'api-key',
  tenant: tenantId('a'),
  scopes: granted,
});

describe('authorize', () => {
  it('lets in a caller with the scope itself, or with * for all but the operator scopes', () => {
    const all = Object.keys(scopes) as Scope[];
    for (const scope of all) {
      expect(() => authorize(principal(scope), scope)).not.toThrow();
      expect(hasScope(principal('*'), scope)).toBe(!operatorScopes.includes(scope));
      const others = all.filter((other) => other !== scope);
      expect(() => authorize(principal(...others), scope)).toThrow(
        expect.objectContaining({ code: 'insufficient_scope', extensions: { scope } }),
      );
    }
  });
});

describe('createAuthenticate', () => {
  const known = { authenticate: async () => principal('*') };
  const foreign = { authenticate: async () => undefined };

  it('authenticators are called in order, and the first result counts', async () => {
    const refusing = { authenticate: () => Promise.reject(new PatchbayError('key_revoked', 'revoked')) };
    await expect(createAuthenticate([foreign, known, refusing])({ token: 't' })).resolves.toEqual(principal('*'));
    await expect(createAuthenticate([refusing, known])({ token: 't' })).rejects.toMatchObject({ code: 'key_revoked' });
  });

  it('an unknown token is refused, with authenticators or without', async () => {
    await expect(createAuthenticate([foreign])({ token: 't' })).rejects.toMatchObject({ code: 'invalid_token' });
    await expect(createAuthenticate([])({ token: 't' })).rejects.toMatchObject({ code: 'invalid_token' });
  });
});

const user: Principal = { id: 'user|1', kind: 'user', tenant: tenantId('acme'), scopes: ['functions:execute'] };

/** A principal as an untyped host may return it. */
const withScopes = (...scopes: string[]) => ({ ...user, scopes: scopes as unknown as Principal['scopes'] });

describe('a principal', () => {
  it.each(['functions:execute', '*'])('a principal may have the scope %s', (scope) => {
    const given = withScopes(scope);
    expect(checkPrincipal(given)).toBe(given);
  });

  it('a principal with a misspelt scope is refused with the nearest as a suggestion', () => {
    const message =
      'the principal is not valid: its scopes include "function:execute", which is not a scope; did you mean "functions:execute"?';
    expect(() => checkPrincipal(withScopes('function:execute'))).toThrow(new TypeError(message));
  });

  it('a principal with a scope unlike any other is refused with a list of all scopes', () => {
    expect(() => checkPrincipal(withScopes('openid'))).toThrow(
      /"openid", which is not a scope; there are .*keys:write/,
    );
  });

  it.each([Number.NaN, '2030-01-01T00:00:00Z', true, 1e300])('a principal cannot expire at %s', (expiresAt) => {
    const given = { ...user, expiresAt } as Principal;
    expect(() => checkPrincipal(given)).toThrow('expiresAt must be epoch milliseconds, or null');
  });

  it('the principal that an authenticator returns is checked as well', async () => {
    const authenticate = createAuthenticate([{ authenticate: async () => withScopes('gateway:invok') }]);
    await expect(authenticate({ token: 't' })).rejects.toThrow('did you mean "gateway:invoke"?');
  });

  it('a principal with an unknown scope is a type error', () => {
    // @ts-expect-error -- TypeScript refuses it
    const misspelt: Principal = { ...user, scopes: ['function:execute'] };
    // @ts-expect-error -- likewise
    authenticatorFrom(async () => ({ id: '1', kind: 'user', tenant: tenantId('a'), scopes: ['gateway'] }));
    expect(() => checkPrincipal(misspelt)).toThrow(TypeError);
  });
});
