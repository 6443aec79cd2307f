import { type Authenticator, PatchbayError, type Principal, tenantId } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { failingTests } from '../failing-tests.ts';
import { authenticatorConformance } from './authenticator-conformance.ts';
import type { AuthenticatorConformanceOptions } from './authenticator-under-test.ts';

type Known = Map<string, Principal & { readonly expired: boolean }>;

/** As simple as an authenticator that passes can be: the tokens are words that it knows. */
const simple = (known: Known): Authenticator['authenticate'] => {
  return async ({ token }) => {
    const found = known.get(token);
    if (found?.expired) throw new PatchbayError('token_expired', 'it has expired');
    return found;
  };
};

/** Names of the tests that an authenticator does not pass. */
async function failuresOf(create: (known: Known) => Authenticator['authenticate']): Promise<readonly string[]> {
  const tests: { name: string; body: () => Promise<void> | void }[] = [];
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: (name: string, body: () => Promise<void> | void) => void tests.push({ name, body }),
  };
  authenticatorConformance(runner, {
    async create() {
      const known: Known = new Map();
      let count = 0;
      return {
        authenticator: { authenticate: create(known) },
        async issue({ tenant, scopes, expired = false, expiresAt = null }) {
          count += 1;
          const token = `Token-of-a-caller-${crypto.randomUUID()}-${count}`;
          const principal = { id: `user_${count}`, tenant: tenantId(tenant), scopes };
          known.set(token, { ...principal, kind: 'user', expiresAt, expired });
          return token;
        },
        dispose: async () => {},
      };
    },
  });
  const failed: string[] = [];
  for (const { name, body } of tests) await Promise.resolve(body()).catch(() => failed.push(name));
  return failed;
}

describe('the conformance suite of authenticators', () => {
  it('passes a simple authenticator', async () => {
    expect(await failuresOf(simple)).toEqual([]);
  });

  it('catches one that remembers by the beginning of a token', async () => {
    const failed = await failuresOf((known) => {
      const ask = simple(known);
      const cache = new Map<string, Principal | undefined>();
      return async (credentials) => {
        const key = credentials.token.slice(0, 18);
        if (!cache.has(key)) cache.set(key, await ask(credentials));
        return cache.get(key);
      };
    });
    expect(failed).toContain('yields its own principal under concurrent requests');
  });

  it('catches one that is not exact about letters, ends or expiry', async () => {
    const lower =
      (known: Known): Authenticator['authenticate'] =>
      async ({ token }) =>
        [...known].find(([each]) => each.toLowerCase() === token.toLowerCase())?.[1];
    const failed = await failuresOf(lower);
    expect(failed).toContain('that has expired fails with token_expired');
    expect(failed).toContain('in other letter case is refused');
    const begins =
      (known: Known): Authenticator['authenticate'] =>
      async ({ token }) =>
        [...known].find(([each]) => token.startsWith(each))?.[1];
    expect(await failuresOf(begins)).toContain('cut short or extended is refused');
  });

  it('catches one that does not tell when a token expires', async () => {
    const forgets =
      (known: Known): Authenticator['authenticate'] =>
      async (credentials) => {
        const { expiresAt: _, ...principal } = (await simple(known)(credentials)) ?? {};
        return 'id' in principal ? (principal as Principal) : undefined;
      };
    expect(await failuresOf(forgets)).toEqual(['yields its time of expiry']);
  });

  it('catches one that refuses requests without credentials, which may be those of the next authenticator', async () => {
    const options: AuthenticatorConformanceOptions = {
      create: async () => ({
        authenticator: {
          authenticate: async () => undefined,
          authenticateRequest: async () => {
            throw new PatchbayError('invalid_token', 'no password was sent');
          },
        },
        issue: async () => 'secret',
        present: (secret) => ({ headers: { authorization: `Basic ${secret}` } }),
        dispose: async () => {},
      }),
    };
    const name = 'with no credentials is left to the next authenticator';
    expect(await failingTests((runner) => authenticatorConformance(runner, options), [name])).toEqual([name]);
  });

  it('catches one that breaks, or tells what it was asked', async () => {
    const breaks =
      (known: Known): Authenticator['authenticate'] =>
      async (credentials) => {
        if (credentials.token.includes('%')) throw new URIError('malformed');
        return await simple(known)(credentials);
      };
    expect(await failuresOf(breaks)).toEqual(['without any content is refused']);
    const tells =
      (known: Known): Authenticator['authenticate'] =>
      async (credentials) => {
        const found = await simple(known)(credentials);
        if (!found) throw new PatchbayError('invalid_token', `${credentials.token} is not known`);
        return found;
      };
    expect(await failuresOf(tells)).toContain('with another character is refused');
  });
});
