import { authenticatorConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { setUp } from './fixtures/set-up.ts';
import { makeKey, startTestIssuer } from './fixtures/test-issuer.ts';

authenticatorConformance(
  { describe, it },
  {
    async create() {
      const issuer = await startTestIssuer();
      const key = await makeKey('k1');
      issuer.keys = [key.publicJwk];
      const subject = setUp({ corp: { issuer: issuer.url, tenantPrefix: '' } });
      let count = 0;
      return {
        authenticator: subject.authenticator,
        async issue({ tenant, scopes, expired = false, expiresAt }) {
          count += 1;
          const past = Math.floor(Date.now() / 1_000) - 100;
          const claims = { sub: `user-${count}`, client_id: tenant, scope: scopes.join(' ') };
          const end = expiresAt === undefined ? {} : { exp: expiresAt / 1_000 };
          return await issuer.sign(key, { ...claims, ...end, ...(expired && { iat: past - 10, exp: past }) });
        },
        async dispose() {
          await subject[Symbol.asyncDispose]();
          await issuer[Symbol.asyncDispose]();
        },
      };
    },
  },
);
