import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertDeletion, assertMembers, assertProblem, rowsOf, timestamp } from '../expect-answer.ts';

const missing = '/keys/key_00000000000000000000000000';
const website = {
  name: 'Website',
  scopes: ['functions:read', 'functions:execute'],
  budget: { usd: 5, period: 'day' },
};

type Made = Readonly<Record<string, unknown>> & { readonly key: string };

/** Make a key, and revoke it when the test is done. */
async function withKey(api: ApiClient, use: (path: string, made: Made) => Promise<void>): Promise<void> {
  const { status, body, text } = await api.ask('POST', '/keys', { body: website });
  assert.equal(status, 201, text);
  const path = `/keys/${String(body['id'])}`;
  try {
    await use(path, body as Made);
  } finally {
    await api.ask('DELETE', path);
  }
}

const statusWith = async (api: ApiClient, token: string) => (await api.ask('GET', '/functions', { token })).status;

export function keyOperations({ describe, it }: ApiSuite): void {
  describe('keys', () => {
    // First: revoked keys stay in the list.
    it('listKeys responds with a page of keys, without their secrets', async (api) => {
      assertProblem(await api.ask('GET', '/keys?limit=0'), 400, 'invalid_request', '?limit');
      await withKey(api, async (_path, { key, ...made }) => {
        const page = await api.ask('GET', '/keys');
        assert.deepEqual(rowsOf(page)[0], made);
        assert.ok(!page.text.includes(key));
      });
    });

    it('listExpiringKeys responds with the keys that end within some days, the first to expire first', async (api) => {
      assertProblem(await api.ask('GET', '/expiring-keys?days=0'), 400, 'invalid_request', '?days');
      const made: string[] = [];
      // The last one is valid for only a day: it is not listed.
      for (const days of [5, 2, 20, 1]) {
        const expiresAt = new Date(Date.now() + days * 86_400_000).toISOString();
        const { body } = await api.ask('POST', '/keys', { body: { ...website, expiresAt } });
        made.push(String(body['id']));
      }
      const [fifth, second, twentieth] = made;
      const listed = async (query: string) => {
        const ids = rowsOf(await api.ask('GET', `/expiring-keys${query}`)).map(({ id }) => String(id));
        return ids.filter((id) => made.includes(id));
      };
      try {
        assert.deepEqual(await listed(''), [second, fifth]);
        assert.deepEqual(await listed('?days=30'), [second, fifth, twentieth]);
        await api.ask('DELETE', `/keys/${second}`);
        assert.deepEqual(await listed('?days=30'), [fifth, twentieth]);
      } finally {
        for (const id of made) await api.ask('DELETE', `/keys/${id}`);
      }
    });

    it('createKey responds with the secret, which is accepted at once', async (api) => {
      const wrong = await api.ask('POST', '/keys', { body: { ...website, scopes: ['functions:fly'] } });
      assertProblem(wrong, 400, 'invalid_request', '/scopes/0');
      const { status, headers, body } = await api.ask('POST', '/keys', { body: website });
      assert.equal(status, 201);
      assertMembers(body, { ...website, expiresAt: null, revokedAt: null });
      assert.match(String(body['key']), /^pbk_/);
      assert.equal(await statusWith(api, String(body['key'])), 200);
      assertDeletion(await api.ask('DELETE', api.within(headers.get('location'))));
    });

    it('getKey responds with the key, without its secret', async (api) => {
      assertProblem(await api.ask('GET', missing), 404, 'key_not_found');
      await withKey(api, async (path, { key, ...made }) => {
        const { status, body, text } = await api.ask('GET', path);
        assert.equal(status, 200);
        assert.deepEqual(body, made);
        assert.ok(!text.includes(key));
      });
    });

    it('rotateKey gives the key another secret, and accepts the one before for a while', async (api) => {
      assertProblem(await api.ask('POST', `${missing}/rotate`), 404, 'key_not_found');
      await withKey(api, async (path, { id, key: before }) => {
        const wrong = await api.ask('POST', `${path}/rotate`, { body: { graceSeconds: -1 } });
        assertProblem(wrong, 400, 'invalid_request', '/graceSeconds');
        const { status, body } = await api.ask('POST', `${path}/rotate`, { body: { graceSeconds: 3_600 } });
        assert.equal(status, 200);
        assertMembers(body, { id, ...website });
        assert.match(String(body['previousUntil']), timestamp);
        const after = String(body['key']);
        assert.notEqual(after, before);
        assert.deepEqual([await statusWith(api, before), await statusWith(api, after)], [200, 200]);
      });
    });

    it('revokeKey ends what the key may do', async (api) => {
      assertProblem(await api.ask('DELETE', missing), 404, 'key_not_found');
      await withKey(api, async (path, { key }) => {
        assertDeletion(await api.ask('DELETE', path));
        assertProblem(await api.ask('GET', '/functions', { token: key }), 401, 'key_revoked');
        assert.match(String((await api.ask('GET', path)).body['revokedAt']), timestamp);
      });
    });
  });
}
