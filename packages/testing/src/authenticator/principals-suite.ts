import assert from 'node:assert/strict';
import { isTenantId, type Principal } from '@patchbay/core/plugin';
import type { AuthenticatorSuite } from './authenticator-under-test.ts';
import { outcomeOf } from './outcome-of.ts';

const scopes = ['functions:read', 'gateway:invoke'] as const;

/** Valid tokens: each identifies its own caller, always and for all callers at once. */
export function principalsSuite({ runner, it }: AuthenticatorSuite): void {
  runner.describe('a good token', () => {
    it('yields the caller, its tenant and its scopes', async ({ asked, issue }) => {
      const principal = (await outcomeOf(asked, await issue({ tenant: 'acme', scopes }))) as Principal;
      assert.equal(principal.tenant, 'acme');
      assert.deepEqual([...principal.scopes].sort(), scopes);
      assert.ok(['api-key', 'user', 'service'].includes(principal.kind));
      assert.match(principal.id, /^[^\p{Cc}]{1,255}$/u);
      assert.ok(isTenantId(principal.tenant));
    });

    it('yields the same principal each time', async ({ asked, issue }) => {
      const token = await issue({ tenant: 'acme', scopes });
      const first = await outcomeOf(asked, token);
      assert.equal(typeof first, 'object');
      for (let round = 0; round < 5; round += 1) assert.deepEqual(await outcomeOf(asked, token), first);
    });

    it('yields its time of expiry', async ({ asked, issue }) => {
      const expiresAt = Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000;
      const token = await issue({ tenant: 'acme', scopes, expiresAt });
      for (let round = 0; round < 2; round += 1) {
        assert.equal(((await outcomeOf(asked, token)) as Principal).expiresAt, expiresAt);
      }
    });

    it('without scopes is accepted', async ({ asked, issue }) => {
      const outcome = await outcomeOf(asked, await issue({ tenant: 'acme', scopes: [] }));
      assert.deepEqual((outcome as Principal).scopes, []);
    });

    it('yields its own principal under concurrent requests', async ({ asked, issue }) => {
      const wanted = Array.from({ length: 40 }, (_, index) => ({
        tenant: `tenant-${index}`,
        scopes: [scopes[index % 2 === 0 ? 0 : 1]],
      }));
      const tokens = await Promise.all(wanted.map(issue));
      for (let round = 0; round < 3; round += 1) {
        const found = await Promise.all(tokens.map((token) => outcomeOf(asked, token)));
        const told = found.map((outcome) => {
          const { tenant, scopes: given } = outcome as Principal;
          return { tenant, scopes: [...given] };
        });
        assert.deepEqual(told, wanted);
        assert.equal(new Set(found.map((outcome) => (outcome as Principal).id)).size, tokens.length);
      }
    });

    it('that has expired fails with token_expired', async ({ asked, issue }) => {
      const token = await issue({ tenant: 'acme', scopes, expired: true });
      assert.equal(await outcomeOf(asked, token), 'token_expired');
      assert.equal(await outcomeOf(asked, token), 'token_expired');
    });
  });
}
