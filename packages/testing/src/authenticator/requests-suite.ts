import assert from 'node:assert/strict';
import type { AuthenticatorSuite } from './authenticator-under-test.ts';
import { outcomeOf } from './outcome-of.ts';
import { headOf } from './request-head.ts';

const foreign = {
  'no credentials': {},
  'an Authorization of an unknown scheme': { headers: { authorization: 'Unknown-Scheme abc' } },
  'an empty Authorization': { headers: { authorization: '' } },
  'a cookie': { headers: { cookie: 'session=1; other=2' } },
};

/** Requests that are not this authenticator's business are left to the next one. */
export function requestsSuite({ runner, it }: AuthenticatorSuite): void {
  runner.describe('a request', () => {
    for (const [name, presented] of Object.entries(foreign)) {
      const isRefusable = name !== 'no credentials';
      it(`with ${name} is left to the next authenticator${isRefusable ? ', or refused' : ''}`, async ({
        authenticator,
      }) => {
        if (!authenticator.authenticateRequest) return;
        const ask = { authenticate: async () => await authenticator.authenticateRequest?.(headOf(presented)) };
        const outcome = await outcomeOf(ask, '');
        const isFine = outcome === 'unknown' || (isRefusable && outcome === 'invalid_token');
        assert.ok(isFine, `${name}: ${JSON.stringify(outcome)}`);
      });
    }
  });
}
