import assert from 'node:assert/strict';
import type { HostSuite } from './api-under-test.ts';
import { assertProblem } from './expect-answer.ts';

/** @param session Headers by which the host recognizes a caller who may list and call models, and nothing else. */
export function sessionsSuite({ describe, it }: HostSuite, session: Readonly<Record<string, string>>): void {
  const asked = (headers = {}) => ({ token: null, headers: { ...session, ...headers } });

  describe('a caller whom the host knows', () => {
    it('receives the scopes of the host without a token', async (api, { log }) => {
      assert.equal((await api.ask('GET', '/models', asked())).status, 200);
      const body = { prompt: 'Hello', model: api.models.chat };
      assert.equal((await api.ask('POST', '/generate', { ...asked(), body })).status, 200);
      assertProblem(await api.ask('GET', '/functions', asked()), 403, 'insufficient_scope');
      assertProblem(await api.ask('GET', '/models', { token: null }), 401, 'unauthenticated');
      const callers = log.filter(({ message }) => message === 'request').map(({ caller }) => caller);
      assert.ok(callers.some((caller) => typeof caller === 'string' && !caller.startsWith('test|')));
    });

    it('rejects requests from pages of other origins', async (api) => {
      const body = { prompt: 'Hello', model: api.models.chat };
      const foreign = asked({ 'sec-fetch-site': 'cross-site' });
      assertProblem(await api.ask('POST', '/generate', { ...foreign, body }), 403, 'cross_site_request');
    });
  });
}
