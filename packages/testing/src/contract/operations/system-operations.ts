import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertMembers, assertProblem, type Row, rowsOf } from '../expect-answer.ts';
import { summarize } from '../sample-function.ts';

export function systemOperations(suite: ApiSuite): void {
  suite.describe('system', () => {
    records(suite);
    documents(suite);
  });
}

/** The tokens that a model call used, as its response reports. */
async function generate(api: ApiClient): Promise<number> {
  const body = { prompt: 'What is a patch bay? A patch bay has sockets.', model: api.models.chat };
  const { status, body: answer, text } = await api.ask('POST', '/generate', { body });
  assert.equal(status, 200, text);
  return Number(answer['totalTokens']);
}

function records({ it }: ApiSuite): void {
  it('readUsage responds with sums that have every call at once', async (api) => {
    assertProblem(await api.ask('GET', '/usage?from=today'), 400, 'invalid_request', '?from');
    const read = async () => {
      const groups = rowsOf(await api.ask('GET', '/usage?groupBy=model'));
      return groups.find(({ group }) => group === api.models.chat) ?? {};
    };
    const before = await read();
    const tokens = await generate(api);
    const after = await read();
    const more = (name: string) => Number(after[name]) - Number(before[name] ?? 0);
    assert.equal(more('modelCalls'), 1);
    assert.equal(more('uncachedInputTokens') + more('outputTokens'), tokens);
  });

  it('readOverview responds with how many calls there were, and how long they took', async (api) => {
    assertProblem(await api.ask('GET', '/overview?by=week'), 400, 'invalid_request', '?by');
    const read = async () => (await api.ask('GET', '/overview?by=day')).body;
    const callsOf = (body: Row) => Number((body['total'] as Row)['calls']);
    const before = await read();
    await generate(api);
    const after = await read();
    assert.equal(callsOf(after) - callsOf(before), 1);
    const { durationMs } = after['total'] as { readonly durationMs: { readonly p50: number; readonly p99: number } };
    assert.ok(durationMs.p50 <= durationMs.p99);
    assertMembers(after['meta'] as Row, { by: 'day' });
    assert.ok((after['parts'] as readonly Row[]).some(({ name, status }) => name === 'storage' && status === 'pass'));
  });

  it('listBudgets responds with what is left', async (api) => {
    const body = { name: 'With a budget', scopes: ['gateway:invoke'], budget: { usd: 2.5, period: 'day' } };
    const made = await api.ask('POST', '/keys', { body });
    const mine = rowsOf(await api.ask('GET', '/budgets')).find(({ id }) => id === made.body['id']) ?? {};
    const amounts = { limit: '2.500000000', spent: '0.000000000', remaining: '2.500000000', currency: 'USD' };
    assertMembers(mine, { scope: 'key', name: body.name, period: 'day', ...amounts });
    await api.ask('DELETE', `/keys/${String(made.body['id'])}`);
    assert.ok(rowsOf(await api.ask('GET', '/budgets')).every(({ id }) => id !== made.body['id']));
  });

  it('listTenants responds with the tenants of the server', async (api) => {
    assertProblem(await api.ask('GET', '/tenants?limit=0'), 400, 'invalid_request', '?limit');
    assertProblem(await api.ask('GET', '/tenants?cursor=another'), 400, 'invalid_request', '?cursor');
    await generate(api);
    const tenants = rowsOf(await api.ask('GET', '/tenants'));
    assert.ok(tenants.some(({ lastUsedAt }) => lastUsedAt !== null));
    for (const { id, keys, functions } of tenants) {
      assert.deepEqual([typeof id, typeof keys, typeof functions], ['string', 'number', 'number']);
    }
  });

  it('listAuditEntries responds with who changed what', async (api) => {
    assertProblem(await api.ask('GET', '/audit?action=function.eaten'), 400, 'invalid_request', '?action');
    const made = await api.ask('POST', '/functions', { body: summarize });
    const id = String(made.body['id']);
    const gone = await api.ask('DELETE', `/functions/${id}`);
    const [deleted = {}, created = {}] = rowsOf(await api.ask('GET', `/audit?resource=${id}`));
    assertMembers(deleted, { action: 'function.deleted', requestId: gone.headers.get('request-id') });
    assertMembers(created, { action: 'function.created', requestId: made.headers.get('request-id') });
    assert.equal((created['resource'] as Row)['id'], id);
    assert.match(String(created['hash']), /^[0-9a-f]{64}$/);
    assert.equal(deleted['previousHash'], created['hash']);
    assert.deepEqual(rowsOf(await api.ask('GET', `/audit?resource=${id}&action=function.deleted`)), [deleted]);
  });

  it('verifyAudit responds with the number of entries of an intact log', async (api) => {
    const made = await api.ask('POST', '/functions', { body: summarize });
    const [latest = {}] = rowsOf(await api.ask('GET', `/audit?resource=${String(made.body['id'])}`));
    const { status, body } = await api.ask('GET', '/audit/verification');
    assert.deepEqual([status, body['broken']], [200, null]);
    assert.ok(Number(body['verified']) >= Number(latest['sequence']));
  });

  it('readMetrics responds in the text format of Prometheus', async (api) => {
    await generate(api);
    const { status, headers, text } = await api.ask('GET', '/metrics');
    assert.equal(status, 200, text);
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    const [, model = ''] = api.models.chat.split('/');
    assert.match(text, /^# TYPE patchbay_model_tokens_total counter$/m);
    assert.ok(text.split('\n').some((line) => line.startsWith('patchbay_model_tokens_total{') && line.includes(model)));
  });
}

function documents({ it }: ApiSuite): void {
  const read = (api: ApiClient, path: string) => api.ask('GET', path, { token: null });

  it('getLiveness responds without credentials', async (api) => {
    const { status, body } = await read(api, '/healthz');
    assert.deepEqual([status, body], [200, { status: 'ok' }]);
  });

  it('getReadiness responds without credentials', async (api) => {
    const { status, body } = await read(api, '/readyz');
    assert.deepEqual([status, body], [200, { status: 'ok' }]);
  });

  it('getOpenApi responds with a document that describes itself', async (api) => {
    const { status, headers, body } = await read(api, '/openapi.json');
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/json']);
    assert.match(String(body['openapi']), /^3\.1\./);
    const paths = Object.values(body['paths'] as Readonly<Record<string, { readonly get?: Row }>>);
    assert.ok(paths.some(({ get }) => get?.['operationId'] === 'getOpenApi'));
  });

  it('getDocs responds with a page that loads nothing from elsewhere', async (api) => {
    const { status, headers, text } = await read(api, '/docs');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.ok(text.includes('id="getDocs"'));
    const loaded = [...text.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]*)"/g)].map(
      ([, target]) => target ?? '',
    );
    for (const target of loaded) assert.match(target, /^docs\/docs-\w+\.(?:css|js)$/);
    assert.equal(loaded.length, 2);
  });

  it('getDocsFile responds with what the page loads, which browsers keep', async (api) => {
    const { text } = await read(api, '/docs');
    const [, style = ''] = /href="(docs\/[^"]+\.css)"/.exec(text) ?? [];
    const { status, headers } = await read(api, `/${style}`);
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/css; charset=utf-8']);
    assert.match(headers.get('cache-control') ?? '', /immutable/);
    assertProblem(await read(api, '/docs/docs.css'), 404, 'route_not_found');
  });
}
