import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { authenticatorConformance, testContext } from '@patchbay/testing';
import plugin, { type Caller, createBasicAuthenticator } from './index.ts';

const hashOf = (password: string) => createHash('sha256').update(password).digest('hex');
const headersFor = (credentials: string) => ({ authorization: `Basic ${btoa(credentials)}` });

authenticatorConformance(
  { describe, it },
  {
    async create() {
      const callers = new Map<string, Caller>();
      return {
        authenticator: createBasicAuthenticator(callers),
        async issue({ tenant, scopes, expired = false, expiresAt }) {
          const name = `caller-${callers.size}`;
          const password = randomBytes(24).toString('base64');
          const end = expired ? 0 : expiresAt;
          callers.set(name, {
            passwordHash: hashOf(password),
            tenant,
            scopes,
            expiresAt: end === undefined ? undefined : new Date(end).toISOString(),
          });
          return `${name}:${password}`;
        },
        // How a client sends what `issue` made.
        present: (credentials) => ({ headers: headersFor(credentials) }),
        dispose: async () => {},
      };
    },
  },
);

void describe('the plugin', () => {
  void it('knows the callers of its config', async () => {
    const ann: Caller = { passwordHash: hashOf('a:b'), tenant: 'acme', scopes: ['models:read'] };
    const authenticator = plugin.definition.create({
      config: { callers: { ann } },
      deps: {},
      logger: testContext().logger,
      mount: 'authenticators.template',
      directory: '.',
    });
    const principal = await authenticator.authenticateRequest?.({
      method: 'GET',
      target: '/models',
      header: (name) => headersFor('ann:a:b')[name as 'authorization'],
    });
    assert.deepEqual([principal?.id, principal?.tenant, principal?.scopes], ['basic|ann', 'acme', ['models:read']]);
  });
});
