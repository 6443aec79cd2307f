import assert from 'node:assert/strict';
import type { Answer, ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertMembers } from '../expect-answer.ts';
import { summarize } from '../sample-function.ts';

type Members = Readonly<Record<string, unknown>>;

const revision = '2026-07-28';

/** The endpoint of the Model Context Protocol. */
export function mcpOperations(suite: ApiSuite): void {
  suite.describe('mcp', () => {
    suite.it('callMcp responds to the messages of agents, whose tools the functions are', async (api) => {
      const { body: made } = await api.ask('POST', '/functions', {
        body: { ...summarize, name: 'Summarize for agents' },
      });
      const path = `/functions/${String(made['id'])}`;
      await refuses(api);
      const listed = await call(api, 'tools/list', {});
      const tools = resultOf(listed)['tools'] as readonly Members[];
      const tool = tools.find(({ name }) => name === 'summarizeForAgents') ?? {};
      assertMembers(tool, { title: 'Summarize for agents', description: summarize.description });
      const input = { text: 'A patch bay has sockets. Cables connect them.' };
      const called = await call(api, 'tools/call', { name: 'summarizeForAgents', arguments: input });
      assertMembers(resultOf(called)['structuredContent'] as Members, { summary: 'A patch bay has sockets' });
      await streams(api, input);
      await api.ask('DELETE', path);
    });

    suite.it('getMcpMetadata responds with the issuers of access tokens, if there are any', async (api) => {
      const metadata = await api.ask('GET', '/.well-known/oauth-protected-resource/mcp', { token: null });
      const refused = await api.ask('POST', '/mcp', { token: null, body: {} });
      const challenge = refused.headers.get('www-authenticate') ?? '';
      if (metadata.status === 404) return assert.doesNotMatch(challenge, /resource_metadata/);
      assert.equal(metadata.status, 200, metadata.text);
      assert.match(String(metadata.body['resource']), /\/mcp$/);
      assert.match(challenge, /resource_metadata="https?:.*\/\.well-known\/oauth-protected-resource\/mcp"/);
    });
  });
}

/** A message of the newest revision: it contains everything that the server needs to know. */
async function call(api: ApiClient, method: string, params: Members): Promise<Answer> {
  const named = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientInfo': { name: 'example', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  return await api.ask('POST', '/mcp', {
    body: message,
    headers: headersOf(revision, { 'mcp-method': method, ...named }),
  });
}

const headersOf = (version: string, more: Readonly<Record<string, string>> = {}) => ({
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': version,
  ...more,
});

function resultOf({ status, text, body }: Answer): Members {
  assert.equal(status, 200, text);
  return body['result'] as Members;
}

/** Failures before the message is read have the format of JSON-RPC as well. */
async function refuses(api: ApiClient): Promise<void> {
  const refused = [
    [{ token: null, body: {} }, 401, 'unauthenticated', -32_000],
    [{ body: [] }, 400, 'invalid_request', -32_600],
    [{ raw: '{', headers: { 'content-type': 'application/json' } }, 400, 'invalid_json', -32_700],
    [{ body: {}, headers: { origin: 'https://evil.example' } }, 403, 'cross_site_request', -32_000],
  ] as const;
  for (const [asking, status, code, protocolCode] of refused) {
    const answer = await api.ask('POST', '/mcp', asking);
    assert.equal(answer.status, status, answer.text);
    const error = answer.body['error'] as Members;
    assert.equal(error['code'], protocolCode);
    assertMembers(error['data'] as Members, { code });
  }
}

/** Older revisions get every response as an event. */
async function streams(api: ApiClient, input: Members): Promise<void> {
  const params = { name: 'summarizeForAgents', arguments: input };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { status, headers, text } = await api.ask('POST', '/mcp', { body: message, headers: headersOf('2025-11-25') });
  assert.equal(status, 200, text);
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
  const [, data = ''] = /^data: (.*)$/m.exec(text) ?? [];
  const { result } = JSON.parse(data) as { readonly result: Members };
  assertMembers(result['structuredContent'] as Members, { summary: 'A patch bay has sockets' });
}
