import { describe, expect, it } from 'vitest';
import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import { operatorScopes, type Scope, scopes } from '../contracts/scopes.ts';
import { tenantId } from '../contracts/tenant.ts';
import { createAuthenticate } from './authenticate.ts';
import { authorize, hasScope } from './authorize.ts';

const principal = (...granted: Principal['scopes']): Principal => ({
  id: 'key_1',
  kind: 'api-key',
  tenant: tenantId('a'),
  scopes: granted,
});

describe('authorize', () => {
  it('the scope itself, or * for all but the scopes of the operator, lets a caller in', () => {
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

  it('asks in order and takes the first answer', async () => {
    const refusing = { authenticate: () => Promise.reject(new PatchbayError('key_revoked', 'revoked')) };
    await expect(createAuthenticate([foreign, known, refusing])({ token: 't' })).resolves.toEqual(principal('*'));
    await expect(createAuthenticate([refusing, known])({ token: 't' })).rejects.toMatchObject({ code: 'key_revoked' });
  });

  it('lets nobody in when no authenticator knows the token, or none is mounted', async () => {
    await expect(createAuthenticate([foreign])({ token: 't' })).rejects.toMatchObject({ code: 'invalid_token' });
    await expect(createAuthenticate([])({ token: 't' })).rejects.toMatchObject({ code: 'invalid_token' });
  });
});
